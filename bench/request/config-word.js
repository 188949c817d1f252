/** Recognizes configurations of your own among the words of a run. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { callerCwd } from '../machine/caller-cwd.js'
import { isPath } from '../plan/spec.js'

/**
 * Returns whether a word is a configuration, and neither a topology nor an experiment.
 * @param {string} word
 */
export const isConfigWord = word => word === '-' || /^(?!https?:).*\.(?:conf|ya?ml)$/i.test(word) ||
  (isPath(word) && !/\.(?:[cm]?[jt]s|json)$/.test(word) && existsSync(resolve(callerCwd(), word)))
