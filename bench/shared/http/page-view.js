/**
 * The built-in page view: one request to an API and 20 assets, of the site of servers/express-site.js (pure).
 *
 * Numbers and sizes follow the medians of inner pages in the HTTP Archive (Web Almanac 2024, chapter "Page Weight",
 * figures of requests and of desktop bytes by content type, crawl of October 2024): 22 JavaScript files with 627 KB, 14
 * images with 442 KB, 8 style sheets with 73 KB and 4 fonts with 131 KB. The site has 20 files in these proportions,
 * each type with its mean size. The published sizes are those of transfers, most of them compressed. The files have
 * these sizes uncompressed, so that file traffic is underestimated rather than overestimated.
 */

/** URL prefix of the assets. */
export const ASSETS = '/assets'
/** Path of the API. */
const API = '/api/items'

/**
 * Files by type: number, and bytes of all of them (1 KB = 1024 bytes). 2 of the 6 images are SVG.
 * @type {{ name: string, extension: string, count: number, bytes: number }[]}
 */
export const ASSET_TYPES = [
  { name: 'app', extension: 'js', count: 9, bytes: Math.round(9 * 627 / 22 * 1024) },
  { name: 'photo', extension: 'webp', count: 4, bytes: Math.round(4 * 442 / 14 * 1024) },
  { name: 'icon', extension: 'svg', count: 2, bytes: Math.round(2 * 442 / 14 * 1024) },
  { name: 'style', extension: 'css', count: 3, bytes: Math.round(3 * 73 / 8 * 1024) },
  { name: 'font', extension: 'woff2', count: 2, bytes: Math.round(2 * 131 / 4 * 1024) }
]

/** Names of the files, each with the beginning of the SHA-256 of its content, as bundlers write them. */
const ASSET_NAMES = [
  'app-1.10533a68.js', 'app-2.9ac10bd4.js', 'app-3.fb5afef0.js', 'app-4.8e3f33fc.js', 'app-5.9186f63e.js',
  'app-6.675d4cc2.js', 'app-7.8e7b0c1d.js', 'app-8.bc89871e.js', 'app-9.6484f662.js', 'photo-1.061bc78e.webp',
  'photo-2.efb329e9.webp', 'photo-3.be1a5a7f.webp', 'photo-4.d3bf518a.webp', 'icon-1.282839dc.svg',
  'icon-2.ec937a69.svg', 'style-1.7e9ec992.css', 'style-2.a3fe5e2d.css', 'style-3.f2bbb927.css',
  'font-1.e7d1164f.woff2', 'font-2.29b66384.woff2'
]

/** Paths of one page view in the order in which a browser requests them. */
export const PAGE_VIEW = [API, ...ASSET_NAMES.map(name => `${ASSETS}/${name}`)]
