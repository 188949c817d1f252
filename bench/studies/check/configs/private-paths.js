/** Adapts recommended configurations to the folder and the ports of a subject, and adds TLS to them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITE } from './client.js'
import { getCertificatePaths, WORKER_ACCOUNT } from './subject-files.js'

/** @import { ProxyProgram } from '../../../types.js' */

/** Proxies to which addTls() adds TLS. */
export const TLS_BY_HAND = ['apache', 'caddy', 'haproxy']

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
    case 'varnish':
      return text.replaceAll('127.0.0.1:6082', `127.0.0.1:${ports.admin}`)
    default:
      return text
  }
}

/**
 * Adds TLS to the configuration of a proxy without an option for it, by the lines that its manual names.
 * @param {string} proxy one of TLS_BY_HAND
 * @param {string} text
 * @param {{ dir: string, program: ProxyProgram }} options
 */
export function addTls (proxy, text, { dir, program }) {
  const { certFile, keyFile } = getCertificatePaths(dir)
  switch (proxy) {
    case 'haproxy': {
      const both = join(dir, 'both.pem')
      writeFileSync(both, `${readFileSync(certFile, 'utf8')}\n${readFileSync(keyFile, 'utf8')}`, { mode: 0o600 })
      return text.replace(/^( *bind \*:\d+)/m, `$1 ssl crt ${both}`)
    }
    case 'apache':
      return text.replace(/^LoadModule/m, `LoadModule ssl_module "${program.modules?.folder}/mod_ssl.so"\n$&`)
        .replace(/^<VirtualHost .*$/m,
          `$&\n    SSLEngine on\n    SSLCertificateFile "${certFile}"\n    SSLCertificateKeyFile "${keyFile}"`)
    case 'caddy':
      // Caddy's redirect would listen on port 80.
      return text.replace(/^\{$/m, '{\n\tauto_https disable_redirects')
        .replace(/^http:\/\/:(\d+) \{$/m, `https://${SITE}:$1 {\n\ttls ${certFile} ${keyFile}`)
    default:
      return text
  }
}
