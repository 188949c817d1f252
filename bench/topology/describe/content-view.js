/** Values of templates about the files that a proxy serves: media types, and names with a hash (pure). */
import mime from 'mime-types'
import { groupBy } from '../../shared/group-by.js'
import { PAGE, toHashPatterns } from '../../shared/http/hashed-names.js'

/** @import { RenderRequest } from '../../types.js' */

/** Ends of the names of files that websites serve. */
const ENDINGS = ('html htm xhtml css csv txt xml rss atom md yaml yml vtt ics js mjs json map geojson jsonld ' +
  'webmanifest gz zip 7z rar tar pdf wasm bin doc docx xls xlsx ppt pptx odt ods odp rtf epub apk dmg exe msi deb ' +
  'rpm iso jar svg png jpg jpeg gif webp avif apng bmp tif tiff heic ico jxl otf ttf woff woff2 eot mp3 ogg oga ogv ' +
  'opus m4a aac flac wav weba mp4 m4v webm mov mkv avi m3u8 mpd ts glb gltf stl usdz kml kmz gpx').split(' ')

/** Media types of mime-db, which Express sends, and the ends of names. */
const mediaTypes = [...groupBy(ENDINGS, ending => mime.types[ending])].map(([type, endings]) =>
  ({ type, endings, charset: mime.charset(type) === 'UTF-8' ? '; charset=utf-8' : '' }))
const texts = mediaTypes.filter(({ charset }) => charset !== '')

/**
 * Returns values of the templates of every proxy that serves files.
 * @param {Pick<RenderRequest, 'built'>} request
 */
export const toFilesView = ({ built }) => ({
  mediaTypes,
  // nginx itself adds text/html.
  charsetTypes: texts.map(({ type }) => type).filter(type => type !== 'text/html').join(' '),
  charsetEndings: texts.flatMap(({ endings }) => endings).map(ending => `.${ending}`).join(' '),
  hashPatterns: toHashPatterns(built),
  pagePattern: PAGE
})
