/** Recognises files that hold secrets, by their names and texts (pure). */
import { isIgnored, readIgnoreFile } from './ignore-patterns.js'
import { KEY_BEGIN, TOKENS, textWithoutSecrets } from './secrets.js'

/** Names of files and folders that hold secrets, as patterns of an ignore file for any depth. */
export const SECRET_NAMES = [
  // Variables.
  '.env', '.env.*', '.env-*', '.env_*', '.environment', '*.env', '.envrc', '*.tfvars',
  // Passwords and tokens of programs.
  '.git-credentials', '.netrc', '_netrc', '.pgpass', 'pgpass.conf', '.my.cnf', '.mylogin.cnf', '.pypirc', '.htpasswd',
  '.vault-token', '.dockercfg', '.docker/config.json', '.aws', '.azure', '.gcloud', '.kube', 'kubeconfig',
  '.password-store', 'client_secret*.json', '*credentials.json', 'service-account*.json', 'service_account*.json',
  'serviceAccount*.json', 'secrets', '.secrets', 'secrets.json', 'secrets.yml', 'secrets.yaml', 'secrets.toml',
  // Keys, and stores of keys.
  '.ssh', '.gnupg', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '*.key', '*.p8', '*.p12', '*.pfx', '*.jks',
  '*.keystore', '*.ppk', '*.kdb', '*.kdbx',
  // Data of others.
  '*dump.sql', 'dump-*.sql', 'dump_*.sql', '*backup.sql', '*.sql.gz', '*.dump', '.terraform', '*.tfstate',
  '*.tfstate.*', '.bash_history', '.psql_history', '.mysql_history', '.node_repl_history'
]
/** Names of files that hold secrets in some projects. Their text decides. */
export const SUSPECT_NAMES = ['.npmrc', '.yarnrc', '.yarnrc.yml', 'pip.conf', '*.pem']

/** Matches private keys and whole tokens. Parts of them do not match, because a match leaves a file out of an image. */
const WHOLE_SECRET = new RegExp(`${KEY_BEGIN}(?:\\s|\\\\[rn]){1,8}[\\w+/=:,. -]{16}|(?<![\\w-])(?:${
  TOKENS.flatMap(([prefix, rest]) => rest === null ? [] : prefix + rest).join('|')})`)
/** Values of settings that are no secrets: a variable, and yes or no. */
const HARMLESS = /["']?\$\{\w+\}["']?|^.*[=:][ \t]*(?:true|false)[ \t]*$/gm

/** @param {string[]} names */
const toRules = names => readIgnoreFile(names.map(name => `**/${name.toLowerCase()}`).join('\n'))
const secretRules = toRules(SECRET_NAMES)
const suspectRules = toRules(SUSPECT_NAMES)

/** Returns whether a file holds secrets by its name or that of a folder above it. @param {string} path */
export const isSecretName = path => isIgnored(secretRules, path.toLowerCase())

/** Returns whether the text of a file decides, because of its name. @param {string} path */
export const isSuspectName = path => isIgnored(suspectRules, path.toLowerCase())

/** Returns whether settings of a package manager contain a secret. @param {string} text */
export function hasSecretSetting (text) {
  const rest = text.replace(HARMLESS, '')
  return textWithoutSecrets(rest) !== rest
}

/**
 * Returns whether the text of a file contains a secret.
 * @param {string} path
 * @param {string} text
 */
export const hasSecretText = (path, text) =>
  WHOLE_SECRET.test(text) || (isSuspectName(path) && !/\.pem$/i.test(path) && hasSecretSetting(text))
