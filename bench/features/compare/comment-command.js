import { ARTIFACT_URL, MARKER } from './comment.js'
import { storedRun } from '../../run/stored-run.js'
import { RESULTS } from '../../request/common-options.js'
import { textsOfRun } from './formats.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { attempt } from '../../shared/attempt.js'
import { HopbenchError, getErrorMessage } from '../../errors.js'

/** @import { Command } from 'commander' */

/**
 * The comment of a pull request on GitHub: finds the pull request that a workflow ran for, and writes its comment or
 * rewrites the earlier one. Everything that decides where the comment goes comes from GitHub, and nothing from a run.
 */

/** @typedef {{ api: string, repository: string, token: string }} GitHub api: base URL */
/** @typedef {{ id: number, sha: string, owner: string, branch: string }} WorkflowRun of the build of a pull request */
/** @typedef {'get' | 'post' | 'patch'} Method */

/** Limits of the event of a workflow. GitHub's events have less than 25 MB. */
const EVENT_FILE = { maxBytes: 2 ** 25, followsLinks: true }
const TIMEOUT_MS = 30_000 // Limit of a request. GitHub ends its own after 10 s.
const PAGE = 100 // Comments per request, GitHub's maximum.
const MAX_PAGES = 30 // Pages of comments that are searched, because a pull request can have thousands.

/**
 * Returns the access to GitHub that a workflow has.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {GitHub}
 * @throws {HopbenchError} no-github
 */
export function openGitHub (env) {
  const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository = '', GITHUB_API_URL: api } = env
  if (!token) throw new HopbenchError('no-github', { variable: 'GITHUB_TOKEN' })
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new HopbenchError('no-github', { variable: 'GITHUB_REPOSITORY' })
  return { api: api || 'https://api.github.com', repository, token }
}

/**
 * Reads the event of a workflow that runs after the build of a pull request.
 *
 * @param {string | undefined} file GITHUB_EVENT_PATH
 * @returns {Promise<WorkflowRun>}
 * @throws {HopbenchError} no-github
 */
export async function readWorkflowRun (file) {
  const event = attempt(() => JSON.parse(readPlainFile(file ?? '', EVENT_FILE).toString()), () => null)
  const run = event?.workflow_run
  const found = { id: run?.id, sha: run?.head_sha, owner: run?.head_repository?.owner?.login, branch: run?.head_branch }
  if (Number.isInteger(found.id) && [found.sha, found.owner, found.branch].every(text => typeof text === 'string')) {
    return found
  }
  throw new HopbenchError('no-github', { variable: 'GITHUB_EVENT_PATH' })
}

/**
 * Finds the open pull request whose last commit was built. The event of a fork's build does not name it.
 *
 * @param {GitHub} github
 * @param {WorkflowRun} run
 * @returns {Promise<number | null>} its number; null: it is closed, or has a newer commit, or was never opened
 * @throws {HopbenchError} github-failed
 */
export async function findPullRequest (github, { sha, owner, branch }) {
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}` })
  const pulls = await request(github, 'get', `pulls?${query}`)
  return pulls.find((/** @type {any} */ pull) => pull.head?.sha === sha)?.number ?? null
}

/**
 * Writes the comment, or rewrites the earlier one of a program. Leaves comments of people alone, although they can
 * begin with the same marker.
 *
 * @param {GitHub} github
 * @param {number} number of the pull request
 * @param {string} body begins with the marker
 * @returns {Promise<'written' | 'rewritten'>}
 * @throws {HopbenchError} github-failed
 */
export async function putComment (github, number, body) {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const comments = await request(github, 'get', `issues/${number}/comments?per_page=${PAGE}&page=${page}`)
    const earlier = comments.find((/** @type {any} */ { body, user }) =>
      user?.type === 'Bot' && String(body).startsWith(MARKER))
    if (earlier !== undefined) {
      await request(github, 'patch', `issues/comments/${earlier.id}`, { body })
      return 'rewritten'
    }
    if (comments.length < PAGE) break
  }
  await request(github, 'post', `issues/${number}/comments`, { body })
  return 'written'
}

/**
 * @param {GitHub} github
 * @param {Method} method
 * @param {string} path below the repository
 * @param {object} [body]
 * @returns {Promise<any>}
 * @throws {HopbenchError} github-failed
 */
async function request ({ api, repository, token }, method, path, body) {
  const fail = (/** @type {string} */ why) =>
    new HopbenchError('github-failed', { request: `${method.toUpperCase()} ${path.split('?')[0]}`, why })
  const response = await fetch(`${api}/repos/${repository}/${path}`, {
    method: method.toUpperCase(),
    headers: {
      Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28', Authorization: `Bearer ${token}`
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...body && { body: JSON.stringify(body) }
  }).catch(error => { throw fail(getErrorMessage(error)) })
  if (!response.ok) throw fail(`status ${response.status}`)
  return response.json().catch(error => { throw fail(getErrorMessage(error)) })
}

/** @param {Command} program */
export default program => program.command('comment')
  .description('write the verdicts of a run into a comment of its pull request, in a workflow of GitHub Actions')
  .argument('<run>', 'folder of the run, or of the downloaded artifact that contains it')
  .option(...RESULTS)
  .addHelpText('after', `
Examples:
  hopbench comment hopbench-results

For a workflow that runs after the build (workflow_run), with the permission pull-requests: write. The run is read as
data, its texts are escaped, and no code of the pull request is run. It takes GITHUB_TOKEN, GITHUB_REPOSITORY and
GITHUB_EVENT_PATH from the environment. docs/ci.md describes the workflow.`)
  .action(async (name, { results }) => {
    const github = openGitHub(process.env)
    const workflowRun = await readWorkflowRun(process.env.GITHUB_EVENT_PATH)
    const run = await storedRun(name, results)
    const number = await findPullRequest(github, workflowRun)
    if (number === null) {
      process.stdout.write('No open pull request has the commit that was built as its last one: nothing was written.\n')
      return
    }
    const server = process.env.GITHUB_SERVER_URL ?? 'https://github.com'
    const link = `${server}/${github.repository}/actions/runs/${workflowRun.id}#artifacts`
    const text = String(await textsOfRun(run).comment()).replaceAll(`(${ARTIFACT_URL})`, () => `(${link})`)
    process.stdout.write(`The comment of pull request ${number} was ${await putComment(github, number, text)}.\n`)
  })
