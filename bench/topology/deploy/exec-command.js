/** Makes a shell replace itself by the program of a command (pure). */

/** Quoted texts, in which no character separates commands. */
const QUOTED = /'[^']*'|"(?:[^"\\]|\\.)*"|\\./g
/** Pipes, background, subshells, groups, comments and quotes without an end: the last program is unknown. */
const UNCLEAR = /[|`(){}#'"\\]|(?<!&)&(?!&)/
/** Words that only the shell itself carries out. */
const OF_SHELL = new Set(['!', '.', ':', '[', '[[', 'alias', 'bg', 'break', 'case', 'cd', 'command', 'continue', 'do',
  'done', 'elif', 'else', 'esac', 'eval', 'exec', 'exit', 'export', 'fg', 'fi', 'for', 'function', 'if', 'local',
  'read', 'readonly', 'return', 'set', 'shift', 'source', 'then', 'time', 'trap', 'ulimit', 'umask', 'unset', 'until',
  'wait', 'while'])
const ASSIGNMENTS = /^\s*(?:[A-Za-z_]\w*=\S*\s+)*/

/**
 * Adds `exec` to the last program of a command, so that signals reach the program instead of a shell that waits for it.
 * Returns a command unchanged if the place is unclear.
 *
 * @param {string} command for sh
 */
export function withExec (command) {
  const masked = command.replace(QUOTED, text => 'x'.repeat(text.length))
  if (UNCLEAR.test(masked.replaceAll('&&', ';;'))) return command
  const start = Math.max(masked.lastIndexOf(';'), masked.lastIndexOf('&')) + 1
  const last = masked.slice(start)
  const [assignments] = ASSIGNMENTS.exec(last) ?? ['']
  const [program] = last.slice(assignments.length).split(/\s/, 1)
  const words = last.trim().split(/\s+/)
  if (program === '' || words.some(word => OF_SHELL.has(word) && word !== '.')) return command
  // A loop or condition before the last program would contain it.
  if (masked.slice(0, start).split(/[\s;&]+/).some(word => ['if', 'while', 'until', 'for', 'case'].includes(word))) {
    return command
  }
  const place = start + assignments.length
  return `${command.slice(0, place)}exec ${command.slice(place)}`
}
