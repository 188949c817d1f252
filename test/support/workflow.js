/** Reads a GitHub Actions workflow with GitHub's own parser. */
import { register } from 'node:module'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { run } from '../../bench/machine/process.js'

/** @import { Workspace } from './cli.js' */

register('./json-imports.js', import.meta.url)
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import('@actions/workflow-parser')

/**
 * @param {string} text
 * @returns {Promise<string[]>} faults: keys, values, functions and contexts of expressions
 */
export async function faultsOf (text) {
  const { context, value } = parseWorkflow({ name: 'workflow.yml', content: text }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

/** @typedef {{ name: string, run?: string, uses?: string, if?: string, with?: Record<string, unknown> }} Step */
/**
 * @typedef {{ on: unknown, permissions: unknown, jobs: Record<string, { steps: Step[], permissions?: unknown, [key:
 *   string]: unknown }> }} Workflow
 */

/**
 * @param {string} text
 * @returns {Workflow}
 */
export const workflowOf = text => parse(text)

/** @typedef {Step & { shell?: string, env?: Record<string, string> }} ActionStep */

/**
 * @param {string} text of action.yml
 * @returns {{ inputs: Record<string, { required?: boolean, default?: string }>, runs: { using: string, steps:
 *   ActionStep[] } }}
 */
export const actionOf = text => parse(text)

/**
 * Runs a step of an action as GitHub does.
 *
 * @param {ActionStep[]} steps
 * @param {Workspace} workspace
 * @param {string} name
 * @param {Record<string, string>} [env]
 */
export function runStep (steps, { dir, tmp }, name, env = {}) {
  const script = join(dir, 'step.sh')
  writeFileSync(script, String(steps.find(step => step.name === name)?.run))
  return run(['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', script], {
    cwd: dir,
    env: {
      GITHUB_STEP_SUMMARY: join(dir, 'summary.md'),
      GITHUB_OUTPUT: join(dir, 'output.txt'),
      TMPDIR: tmp,
      NO_COLOR: '1',
      ...env
    },
    timeoutSeconds: 240
  })
}
