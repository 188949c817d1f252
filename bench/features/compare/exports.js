/** The options `--export-csv FILE` and others, which write files in addition to the printed text. */
import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { badOption, getErrorMessage } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { isWritable } from '../../machine/setup/path.js'
import { makeFolder } from '../../machine/files/make-folder.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { Command } from 'commander' */

/** File name that means the standard output. */
const STDOUT = '-'

/**
 * @param {Command} command
 * @param {Record<string, string>} formats description of the file by format
 */
export function exportOptions (command, formats) {
  command.optionsGroup('Files to write (- prints the file instead of the text):')
  for (const [format, text] of Object.entries(formats)) command.option(`--export-${format} <file>`, text)
  return command
}

/**
 * Returns the files to write. Checks that their folders are writable, before minutes are spent on a measurement.
 *
 * @param {Record<string, any>} options as typed
 * @returns {{ format: string, option: string, file: string }[]}
 * @throws {HopbenchError} bad-option
 */
export function exportsIn (options) {
  const exports = Object.keys(options).filter(name => /^export[A-Z]/.test(name)).map(name => {
    // commander's name of --export-benchmark-action is exportBenchmarkAction.
    const format = name.slice('export'.length).replace(/(?!^)[A-Z]/g, letter => `-${letter}`).toLowerCase()
    return { format, option: `--export-${format}`, file: String(options[name]) }
  })
  const printed = [...exports.filter(({ file }) => file === STDOUT).map(({ option }) => `${option} -`),
    ...options.json ? ['--json'] : []]
  if (printed.length > 1) {
    throw badOption(printed[1], true,
      `it and ${printed[0]} are mutually exclusive, as both print to the standard output`,
      'Name a file for one of them.')
  }
  for (const { option, file } of exports) {
    if (file === STDOUT || isWritable(dirname(resolve(callerCwd(), file)))) continue
    throw unwritable(option, file, 'its folder cannot be written')
  }
  return exports
}

/**
 * @param {ReturnType<typeof exportsIn>} exports
 * @param {Record<string, () => string | Promise<string>>} texts by format
 * @throws {HopbenchError} bad-option, and the errors of the texts
 */
export async function writeExports (exports, texts) {
  for (const { format, option, file } of exports) {
    const text = await texts[format]()
    if (file === STDOUT) process.stdout.write(text)
    else writeText(option, file, text)
  }
  const files = exports.map(({ file }) => file).filter(file => file !== STDOUT)
  if (files.length > 0) process.stderr.write(`Written: ${files.join(', ')}\n`)
}

/** Whether a file is printed in place of the text. @param {ReturnType<typeof exportsIn>} exports */
export const printsExport = exports => exports.some(({ file }) => file === STDOUT)

/**
 * @param {string} option
 * @param {string} file
 * @param {string} text
 */
function writeText (option, file, text) {
  try {
    const path = resolve(callerCwd(), file)
    makeFolder(dirname(path))
    writeFileSync(path, text)
  } catch (error) {
    throw unwritable(option, file, getErrorMessage(error))
  }
}

/**
 * @param {string} option
 * @param {string} file
 * @param {string} why
 */
const unwritable = (option, file, why) => badOption(option, file,
  why, 'Name a file in a folder that can be written, or - for the standard output.')
