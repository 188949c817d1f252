/** Packs a target for another machine, with the contents of the files that it names. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @import { Target } from '../../types.js' */

/**
 * @param {Target} target
 * @returns {Target & { body: string | null, certificate: string | null }} body: base64; certificate: PEM
 */
export const packTarget = target => ({
  ...target,
  body: target.expectBody && readFileSync(target.expectBody.file, 'base64'),
  certificate: target.caFile ? readFileSync(target.caFile, 'utf8') : null
})

/**
 * @param {ReturnType<typeof packTarget>} packed
 * @param {string} dir receives the files
 * @returns {Target}
 */
export function unpackTarget ({ body, certificate, ...target }, dir) {
  const bodyFile = join(dir, 'expected.body')
  const caFile = join(dir, 'server.crt')
  if (body !== null) writeFileSync(bodyFile, Buffer.from(body, 'base64'))
  if (certificate !== null) writeFileSync(caFile, certificate)
  return {
    ...target,
    expectBody: target.expectBody && { ...target.expectBody, file: bodyFile },
    ...certificate !== null && { caFile }
  }
}
