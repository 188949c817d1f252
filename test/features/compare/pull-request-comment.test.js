import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { MARKER } from '../../../bench/features/compare/comment.js'
import {
  findPullRequest, openGitHub, putComment, readWorkflowRun
} from '../../../bench/features/compare/comment-command.js'
import { startGitHub } from '../../support/github.js'

const bot = /** @type {const} */ ({ type: 'Bot', login: 'github-actions[bot]' })
const person = /** @type {const} */ ({ type: 'User', login: 'stranger' })

t.test('writes one comment, and rewrites it afterwards', async t => {
  const { env, comments, requests } = await startGitHub(t, { dir: t.testdir({}) })
  const github = openGitHub(env)
  const number = await findPullRequest(github, await readWorkflowRun(env.GITHUB_EVENT_PATH))
  t.equal(number, 7)
  t.equal(await putComment(github, 7, `${MARKER}\nfirst`), 'written')
  t.equal(await putComment(github, 7, `${MARKER}\nsecond`), 'rewritten')
  t.strictSame(comments.map(({ body }) => body), [`${MARKER}\nsecond`])
  t.equal(requests.filter(request => request.startsWith('POST')).length, 1)
})

t.test('leaves comments of people and of other programs alone', async t => {
  const others = [
    { id: 1, body: `${MARKER}\nby a person`, user: person },
    { id: 2, body: 'about something else', user: bot },
    { id: 3, body: `quoted: ${MARKER}`, user: bot }
  ]
  const { env, comments } = await startGitHub(t, { dir: t.testdir({}), comments: structuredClone(others) })
  t.equal(await putComment(openGitHub(env), 7, `${MARKER}\nnew`), 'written')
  t.strictSame(comments.slice(0, 3), others)
})

t.test('finds the earlier comment among hundreds', async t => {
  const many = Array.from({ length: 250 }, (_, i) =>
    ({ id: i + 1, body: i === 230 ? `${MARKER}\nold` : 'talk', user: i === 230 ? bot : person }))
  const { env, comments } = await startGitHub(t, { dir: t.testdir({}), comments: many })
  t.equal(await putComment(openGitHub(env), 7, `${MARKER}\nnew`), 'rewritten')
  t.equal(comments[230].body, `${MARKER}\nnew`)
  t.equal(comments.length, 250)
})

t.test('a pull request with a newer commit gets no comment of an older build', async t => {
  const { env } = await startGitHub(t, { dir: t.testdir({}), sha: 'd'.repeat(40) })
  t.equal(await findPullRequest(openGitHub(env), await readWorkflowRun(env.GITHUB_EVENT_PATH)), null)
})

t.test('rejects an environment that is not of a workflow', async t => {
  const dir = t.testdir({})
  const { env } = await startGitHub(t, { dir })
  for (const name of ['GITHUB_TOKEN', 'GITHUB_REPOSITORY']) {
    t.throws(() => openGitHub({ ...env, [name]: '' }), { code: 'no-github', message: new RegExp(name) })
  }
  t.throws(() => openGitHub({ ...env, GITHUB_REPOSITORY: '../../user' }), { code: 'no-github' })
  const file = join(dir, 'other.json')
  for (const text of ['', '[]', '{"workflow_run":{"id":1}}', '{"workflow_run":{"id":"1","head_sha":"x"}}']) {
    writeFileSync(file, text)
    await t.rejects(readWorkflowRun(file), { code: 'no-github' }, text)
  }
  await t.rejects(readWorkflowRun(undefined), { code: 'no-github' })
})

t.test('a refusal of GitHub is reported with its status and without the token', async t => {
  const { env } = await startGitHub(t, { dir: t.testdir({}), status: 403 })
  const github = openGitHub(env)
  await t.rejects(putComment(github, 7, 'x'),
    { code: 'github-failed', message: 'GitHub rejected GET issues/7/comments: status 403.' })
  const other = await startGitHub(t, { dir: t.testdir({}) })
  await t.rejects(putComment({ ...openGitHub(other.env), token: 'wrong' }, 7, 'x'),
    { code: 'github-failed', message: /status 401/ })
  const error = await putComment({ ...github, api: 'http://127.0.0.1:1' }, 7, 'x').catch(error => error)
  t.equal(error.code, 'github-failed')
  t.notMatch(String(error.message), env.GITHUB_TOKEN)
})
