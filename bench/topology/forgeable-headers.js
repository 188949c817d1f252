/** Headers of clients that a recommended configuration sets, removes, or takes for a sign of a private response. */

/** Headers that a recommended configuration sets, so that apps may trust them. */
export const TRUSTED_HEADERS = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP']

/**
 * Headers in which a client could name another address, scheme, host, path or method. Apps and frameworks trust some of
 * them, so a recommended configuration removes them.
 */
export const FORGEABLE_HEADERS = ['Forwarded', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'X-Forwarded-Server',
  'X-Forwarded-Scheme', 'X-Forwarded-Protocol', 'X-Forwarded-Ssl', 'X-Forwarded-Path', 'X-Forwarded-Uri',
  'Front-End-Https', 'X-Scheme', 'X-Url-Scheme', 'X-Host', 'X-Original-Host', 'X-Original-URL', 'X-Rewrite-URL',
  'X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override', 'Client-IP', 'X-Client-IP', 'X-Cluster-Client-IP',
  'True-Client-IP', 'CF-Connecting-IP', 'Fly-Client-IP', 'X-Original-For', 'X-Originating-IP', 'X-Remote-IP',
  'X-Middleware-Subrequest']

/**
 * Headers with credentials, for caches that cannot find them by a pattern: those of bench/shared/secrets.js that
 * frameworks, gateways and APIs are known to use.
 */
export const CREDENTIAL_HEADERS = ['Authorization', 'Proxy-Authorization', 'X-Authorization', 'X-Auth', 'X-Auth-Key',
  'X-Auth-Token', 'X-Auth-User', 'Auth-Token', 'API-Key', 'X-API-Key', 'Apikey', 'X-Apikey', 'X-API-Token',
  'X-Goog-Api-Key', 'Ocp-Apim-Subscription-Key', 'X-Functions-Key', 'X-App-Key', 'X-Master-Key', 'X-Key', 'Token',
  'X-Token', 'Access-Token', 'X-Access-Token', 'X-User-Token', 'X-Refresh-Token', 'Id-Token', 'X-Id-Token',
  'X-Forwarded-Access-Token', 'X-Shopify-Access-Token', 'X-MS-Token-AAD-Access-Token', 'X-Amz-Security-Token',
  'X-Vault-Token', 'Private-Token', 'X-Gitlab-Token', 'CSRF-Token', 'X-CSRF-Token', 'X-CSRFToken', 'X-XSRF-Token',
  'Session-Id', 'X-Session', 'X-Session-Id', 'X-Session-Token', 'X-Parse-Session-Token', 'X-JWT', 'X-JWT-Assertion',
  'Cf-Access-Jwt-Assertion', 'X-Goog-Iap-Jwt-Assertion', 'X-Secret', 'X-Secret-Key', 'X-Client-Secret', 'X-Password',
  'X-Otp', 'X-Pin', 'Signature', 'X-Signature', 'X-Hub-Signature', 'X-Hub-Signature-256', 'Stripe-Signature']

/** Variables of CGI that some servers take from a header of the same name: gunicorn's forwarder_headers. */
const CGI_HEADERS = ['Script-Name', 'Path-Info', 'Remote-User', 'Remote-Addr']

/**
 * Spellings of the headers above and of CGI's variables with "_" or "." in place of "-". Some apps take them for the
 * header itself. For proxies that cannot remove headers by a pattern.
 */
export const ALIASES = [...TRUSTED_HEADERS, ...FORGEABLE_HEADERS, ...CGI_HEADERS]
  .flatMap(name => toSpellings(name).filter(spelling => spelling !== name))

/**
 * Returns a name with each of its hyphens kept or replaced.
 * @param {string} name
 * @returns {string[]}
 */
function toSpellings (name) {
  const [first, ...rest] = name.split('-')
  if (rest.length === 0) return [first]
  return toSpellings(rest.join('-')).flatMap(end => ['-', '_', '.'].map(sign => `${first}${sign}${end}`))
}
