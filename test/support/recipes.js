/** The recipes of CONTRIBUTING.md, tried as they are printed. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { project } from './cli.js'
import { copyOfProject } from './project.js'

/** @import { Test } from 'tap' */

/** Title of the recipe whose play needs a client that is on time, so no test may run beside it. */
export const SCENARIO_RECIPE = 'A scenario'

/** Sections of CONTRIBUTING.md with commands, by title. */
export const RECIPES = new Map(readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8').split(/^## /m).slice(1)
  .filter(text => text.includes('```sh\n'))
  .map(text => [text.split('\n')[0], text]))

/**
 * Copies the parts of the project that the recipes add to.
 *
 * @param {Test} t
 * @returns {string} folder, removed at the end of the test
 */
export function copyForRecipes (t) {
  const copy = copyOfProject(t)
  cpSync(join(project, 'docs/examples'), join(copy, 'docs/examples'), { recursive: true })
  return copy
}

/**
 * Writes the files of a recipe, and runs its commands.
 *
 * @param {Test} t
 * @param {string} title
 * @param {string} copy folder of copyForRecipes
 */
export async function tryRecipe (t, title, copy) {
  const section = RECIPES.get(title) ?? ''
  for (const [, file, text] of section.matchAll(/^```js (\S+)\n(.*?)^```$/gms)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), text)
  }
  const scripts = [...section.matchAll(/^```sh\n(.*?)^```$/gms)]
  t.ok(scripts.length > 0, 'it has commands')
  for (const line of scripts.flatMap(([, script]) => script.trim().split('\n'))) {
    const { exit, stdout, stderr } = await run(['sh', '-c', line], {
      cwd: copy,
      timeoutSeconds: 120,
      env: { INIT_CWD: copy }
    })
    t.equal(exit, 0, line) || t.comment(stdout, stderr)
  }
}
