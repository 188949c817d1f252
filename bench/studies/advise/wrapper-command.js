/** Recognises commands that start another program and wait for it (pure). */
import { basename } from 'node:path'

const SHELLS = /^(?:sh|ash|bash|dash|zsh)$/
/** Package managers, also as files that Node runs. */
const MANAGERS = /^(?:npm|npx|pnpm|yarn|corepack)(?:-cli)?(?:\.[cm]?js)?$/

/**
 * Returns whether a process is a shell or a package manager.
 * @param {string} cmdline of /proc: arguments that NUL ends, or a title, as in "npm start"
 */
export function isWrapperCommand (cmdline) {
  const [program = '', script = ''] = cmdline.split(/[\0 ]/).map(part => basename(part))
  return SHELLS.test(program) || MANAGERS.test(program) || (/^node(?:js)?$/.test(program) && MANAGERS.test(script))
}
