/** Describes where TLS ends in front of an app, and from which program it takes the scheme of clients (pure). */

/**
 * @typedef {object} Front
 * @property {string | null} router name of the platform whose router terminates TLS; null: there is none
 * @property {boolean} hasNginx
 * @property {boolean} tls whether nginx terminates TLS
 * @property {boolean} trusts whether nginx takes address and scheme from routers in front
 */

/** Option of `hopbench config` for a load balancer in front of nginx. */
const OPTION = 'write the kit with --trust and its network, as in --trust 10.0.0.0/8'

/**
 * Returns two sentences: about TLS, and about the program that the app must trust. Without a router and a certificate
 * the second one is a question, because nginx overwrites the scheme that a load balancer states.
 *
 * @param {Front} front
 */
export function describeTlsEnd ({ router, hasNginx, tls, trusts }) {
  const end = tls
    ? 'nginx of the kit terminates TLS.'
    : router === null ? 'The kit serves plain HTTP.' : `The router of ${router} terminates TLS.`
  if (!hasNginx) {
    return `${end} ${router === null
      ? 'If a load balancer in front terminates TLS, the app must trust its X-Forwarded-Proto, and no client may ' +
        'reach the app past it.'
      : 'The app must trust its X-Forwarded-Proto, and no other.'}`
  }
  const trusted = 'the app must trust nginx, which sends one X-Forwarded-Proto and one X-Forwarded-For'
  if (tls) return `${end} Behind it ${trusted}.`
  if (trusts) return `${end} nginx takes the scheme from trusted routers only, and ${trusted}.`
  const question = router === null ? 'Does a load balancer in front terminate TLS? nginx' : 'nginx'
  return `${end} ${question} overwrites X-Forwarded-Proto with http: ${OPTION}, and https reaches the app. ` +
    `Either way ${trusted}.`
}
