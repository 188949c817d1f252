/** Computes the values of nginx's templates about TLS (pure). */
import semver from 'semver'
import { isOn } from '../../bench/plan/predicates.js'
import { INTERMEDIATE_CIPHERS } from '../../bench/topology/describe/templates.js'
import { quote } from './quote.js'

/** @import { RenderRequest } from '../../bench/types.js' */

/** First version with `ssl_conf_command`, which sets the cipher suites of TLS 1.3 (nginx CHANGES). */
const SUITES_BY_NAME = '1.19.4'

/** Ciphers of the published TLS figures by the kind of key. @type {Record<string, string>} */
const CIPHERS = {
  rsa2048: 'ECDHE-RSA-AES256-GCM-SHA384',
  rsa4096: 'ECDHE-RSA-AES256-GCM-SHA384',
  'ecdsa-p256': 'ECDHE-ECDSA-AES256-GCM-SHA384'
}

/**
 * @param {RenderRequest} request
 * @param {boolean} measure
 * @throws {TypeError} if TLS is on and there is no certificate
 */
export function toTlsView ({ options, version, certificate }, measure) {
  if (!isOn(options.tls)) return { tls: false }
  if (!certificate) throw new TypeError('a certificate is missing for nginx with tls')
  const suites = Number(options.tls_version) > 1.2
  return {
    tls: true,
    certFile: quote(certificate.certFile),
    keyFile: quote(certificate.keyFile),
    intermediateTls: !measure,
    intermediateCiphers: INTERMEDIATE_CIPHERS,
    tlsVersion: options.tls_version,
    cipher: suites ? null : CIPHERS[String(options.tls)],
    suitesByName: suites && semver.gte(version, SUITES_BY_NAME),
    tlsSession: Boolean(options.tls_session),
    // A session outlives the longest pause of a measurement.
    tlsSessionTimeout: measure ? '1h' : '5m'
  }
}
