/** Reads a GitHub Actions workflow with GitHub's own parser. */
import { register } from 'node:module'
import { parse } from 'yaml'

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
 * @typedef {{ permissions: unknown, jobs: Record<string, { steps: Step[], permissions?: unknown, [key: string]:
 *   unknown }> }} Workflow
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
