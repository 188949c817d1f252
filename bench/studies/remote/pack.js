/** A target as it goes to another machine: with what lies in the files that it names. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @import { Target } from '../../types.js' */

/** @typedef {Target & { body: string | null, certificate: string | null }} PackedTarget base64, and PEM */

/** @param {Target} target @returns {PackedTarget} */
export const packTarget = target => ({
  ...target,
  body: target.expectBody && readFileSync(target.expectBody.file, 'base64'),
  certificate: target.caFile ? readFileSync(target.caFile, 'utf8') : null
})

/** @param {PackedTarget} packed @param {string} dir takes its files @returns {Target} */
export function unpackTarget ({ body, certificate, ...target }, dir) {
  const [bodyFile, caFile] = [join(dir, 'expected.body'), join(dir, 'server.crt')]
  if (body !== null) writeFileSync(bodyFile, Buffer.from(body, 'base64'))
  if (certificate !== null) writeFileSync(caFile, certificate)
  return {
    ...target,
    expectBody: target.expectBody && { ...target.expectBody, file: bodyFile },
    ...certificate !== null && { caFile }
  }
}
