/** A GitHub with one repository, of whose interface it has what comments of pull requests need. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listening } from './listening.js'

/** @import { Test } from 'tap' */

export const TOKEN = 'a-token-of-a-test'
const REPOSITORY = 'someone/app'
const SHA = 'c'.repeat(40)
const RUN_ID = 4711

/** @typedef {{ id: number, body: string, user: { type: 'Bot' | 'User', login: string } }} Comment */

/**
 * Starts the server, and writes the event of the build of a fork's pull request.
 *
 * @param {Test} t
 * @param {{ dir: string, comments?: Comment[], sha?: string, status?: number }} options dir: for the event; sha: last
 *   commit of the pull request; status: of each response, instead of the right one
 */
export async function startGitHub (t, { dir, comments = [], sha = SHA, status }) {
  /** @type {string[]} */
  const requests = []
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://x')
    const path = pathname.replace(`/repos/${REPOSITORY}/`, '')
    requests.push(`${req.method} ${path}`)
    const chunks = []
    for await (const chunk of req) chunks.push(chunk)
    const sent = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : null
    const send = (/** @type {number} */ code, /** @type {unknown} */ value) =>
      res.writeHead(status ?? code, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
    if (req.headers.authorization !== `Bearer ${TOKEN}`) return send(401, { message: 'Bad credentials' })
    switch (`${req.method} ${path}`) {
      case 'GET pulls':
        // The head is that of the fork: its owner and its branch.
        return send(200, searchParams.get('head') === 'stranger:feature&x=1' ? [{ number: 7, head: { sha } }] : [])
      case 'GET issues/7/comments': {
        const page = Number(searchParams.get('page'))
        const size = Number(searchParams.get('per_page'))
        return send(200, comments.slice((page - 1) * size, page * size))
      }
      case 'POST issues/7/comments':
        comments.push({ id: 900, body: sent.body, user: { type: 'Bot', login: 'github-actions[bot]' } })
        return send(201, {})
      default: {
        const comment = comments.find(({ id }) => `PATCH issues/comments/${id}` === `${req.method} ${path}`)
        if (comment === undefined) return send(404, { message: 'Not Found' })
        comment.body = sent.body
        return send(200, comment)
      }
    }
  })
  const port = await listening(t, server)
  const event = join(dir, 'event.json')
  writeFileSync(event, JSON.stringify({
    workflow_run: {
      id: RUN_ID,
      event: 'pull_request',
      head_sha: SHA,
      head_branch: 'feature&x=1',
      head_repository: { owner: { login: 'stranger' } },
      pull_requests: []
    }
  }))
  return {
    requests,
    comments,
    env: {
      GITHUB_TOKEN: TOKEN,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_API_URL: `http://127.0.0.1:${port}`,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_EVENT_PATH: event
    },
    link: `https://github.example/${REPOSITORY}/actions/runs/${RUN_ID}#artifacts`
  }
}
