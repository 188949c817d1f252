/** nginx.conf as the plug-in renders it. */
import nginx from '../../proxy/nginx.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'

/** @import { FilePrefix, Transport } from '../../bench/types.js' */

export const VERSIONS = ['1.18.0', '1.22.1', '1.29.6', '1.29.7', '1.31.5']

/**
 * @param {{ transport?: Transport, version?: string, options?: object, purpose?: 'measure' | 'home',
 *   clients?: number, dir?: string, servers?: number, files?: FilePrefix[] }} request
 */
export function conf (
  {
    transport = 'keepalive', version = '1.22.1', options = {}, purpose = 'measure', clients = 100, dir = '/tmp/t',
    servers = 1, files
  }
) {
  return nginx.render({
    version,
    listen: { kind: 'tcp', host: '127.0.0.1', port: 8080 },
    upstream: {
      transport,
      addresses: Array.from({ length: servers }, (_, i) => transport.startsWith('uds')
        ? { kind: 'unix', path: `${dir}/app${i || ''}.sock` }
        : { kind: 'tcp', host: '127.0.0.1', port: 3000 + i })
    },
    root: '/srv',
    files,
    options: resolveOptions('nginx', nginx.about.options, /** @type {any} */ (options)),
    dir,
    clients,
    purpose
  })['nginx.conf']
}

/**
 * Renders the configuration of nginx as a file server.
 * @param {{ options?: object, purpose?: 'measure' | 'home', root?: string, version?: string, cores?: number[],
 *   certificate?: { certFile: string, keyFile: string }, modules?: import('../../bench/types.js').Modules }} request
 */
export const filesConf = (
  {
    options = {}, purpose = 'measure', root = '/srv', version = '1.22.1', cores, modules,
    certificate = { certFile: '/tmp/tls/a.crt', keyFile: '/tmp/tls/a.key' }
  }
) =>
  nginx.render({
    version,
    cores,
    modules,
    certificate,
    listen: { kind: 'tcp', host: '127.0.0.1', port: 8080 },
    upstream: null,
    root,
    options: resolveOptions('nginx', nginx.about.options, /** @type {any} */ (options)),
    dir: '/tmp/t',
    clients: 100,
    purpose
  })['nginx.conf']
