/** Adapts recommended configurations to the folder and the ports of a subject, and adds TLS to them. */
import { join } from 'node:path'
import { SITE } from './client.js'
import { BOTH, getCertificatePaths, WORKER_ACCOUNT } from './subject-files.js'

/** @import { ProxyProgram } from '../../../types.js' */

/** Proxies to which addTls() adds TLS. */
export const TLS_BY_NOTE = ['apache', 'caddy', 'envoy', 'haproxy', 'traefik']

/**
 * Replaces the system paths and accounts of Debian's packages, which only root can use, by the folder of the subject,
 * and port 80 by a free one. Gives Varnish a free administration port. Adds to nginx its PID file and folders for
 * temporary files.
 * @param {string} proxy
 * @param {string} text of a configuration, or an argument
 * @param {{ dir: string, ports: { admin: number, redirect: number }, program: ProxyProgram }} options
 */
export function toPrivatePaths (proxy, text, { dir, ports, program }) {
  const { modules } = program
  switch (proxy) {
    case 'nginx':
      return text.replaceAll('/var/cache/nginx', `${dir}/cache/nginx`).replaceAll('/var/log/nginx', `${dir}/log`)
        .replace('daemon off;', `daemon off; pid ${dir}/nginx.pid;`)
        .replaceAll(/^( *listen (?:\[::\]:)?)80;$/gm, `$1${ports.redirect};`)
        .replace(/^http \{$/m, `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(part =>
          `    ${part}_temp_path ${dir}/run/${part};\n`).join('')}`)
    case 'apache':
      return text.replaceAll(`"${modules?.installed}/`, `"${modules?.folder}/`)
        .replaceAll(/\/var\/cache\/apache2\/[\w-]+/g, `${dir}/cache`)
        .replaceAll(/\/(?:run|var\/lock)\/apache2/g, `${dir}/run`)
        .replaceAll('/var/log/apache2', `${dir}/log`)
        .replaceAll('"/etc/apache2"', `"${dir}"`)
        .replaceAll(/^(User|Group) .*$/gm, `$1 #${WORKER_ACCOUNT}`)
    case 'haproxy':
      return text.replace(/^ {4}(user|group) haproxy$/gm, '')
    case 'traefik':
      return text.replaceAll('/etc/traefik', dir)
    case 'varnish':
      return text.replaceAll('127.0.0.1:6082', `127.0.0.1:${ports.admin}`)
    default:
      return text
  }
}

/**
 * Follows the note about TLS in the recommended configuration of a proxy without an option for it. HTTPS gets the port
 * of the subject.
 * @param {string} proxy one of TLS_BY_NOTE
 * @param {string} text with private paths
 * @param {{ dir: string, ports: { front: number, redirect: number } }} options
 */
export function addTls (proxy, text, { dir, ports: { front, redirect } }) {
  const { certFile, keyFile } = getCertificatePaths(dir)
  switch (proxy) {
    case 'haproxy':
      return uncomment(text).replace(`bind *:${front}`, `bind *:${redirect}`).replace('bind *:443', `bind *:${front}`)
        .replace('/etc/haproxy/site.pem', join(dir, BOTH))
    case 'envoy':
      return uncomment(text).replace(`port_value: ${front}\n`, `port_value: ${redirect}\n`)
        .replaceAll(/\b(port_value|destination_port): 443\b/g, `$1: ${front}`)
        .replace('/etc/ssl/certs/site.pem', certFile).replace('/etc/ssl/private/site.key', keyFile)
    case 'apache':
      return uncomment(text.replaceAll(/^(\s*#(?:Listen |<VirtualHost )\*:)\d+/gm, `$1${redirect}`))
        .replace('/etc/ssl/certs/site.pem', certFile).replace('/etc/ssl/private/site.key', keyFile)
    case 'traefik':
      return uncomment(text).replace(`":${front}"`, `":${redirect}"`)
        .replace('address = ":443"', `address = ":${front}"`)
        .replace('/etc/ssl/certs/site.pem', certFile).replace('/etc/ssl/private/site.key', keyFile)
    case 'caddy':
      // Caddy would fetch a certificate for the name of the site.
      return uncomment(text).replace(/^\{$/m, `{\n\thttp_port ${redirect}\n\thttps_port ${front}`)
        .replace(/^http:\/\/:\d+ \{$/m, `${SITE} {\n\ttls ${certFile} ${keyFile}`)
    default:
      return text
  }
}

/** Removes the # of each line on which no space follows it. @param {string} text */
const uncomment = text => text.replace(/^(\s*)#(?=[^\s#])/gm, '$1')
