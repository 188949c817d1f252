// Fastify with @fastify/static.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Fastify with @fastify/static',
  package: '@fastify/static',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'precompressed',
  settings:
    'no logger, trustProxy, preCompressed (gzip and brotli siblings), maxAge 1h (its default, max-age=0, would keep ' +
    'every proxy from caching)',
  production: { settings: { "dotfiles: 'ignore'": ['dotfiles'], 'setHeaders with Vary: Accept-Encoding': ['vary'] } }
}

/**
 * Sends Vary, because the response depends on Accept-Encoding.
 *
 * @param {{ header: (name: string, value: string) => unknown }} reply
 */
const setHeaders = reply => { reply.header('Vary', 'Accept-Encoding') }

/** @type {ServerFactory} */
export default async ({ root, options = {} }) => {
  const { default: fastifyStatic } = await import('@fastify/static')
  const { default: fastify } = await import('fastify')
  const app = fastify({ trustProxy: true })
  await app.register(fastifyStatic, {
    root,
    preCompressed: true,
    maxAge: '1h',
    ...options.production && { dotfiles: 'ignore', setHeaders }
  })
  await app.ready()
  return (req, res) => app.routing(req, res)
}
