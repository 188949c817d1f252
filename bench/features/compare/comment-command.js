import { ARTIFACT_URL } from './comment.js'
import { findPullRequest, openGitHub, putComment, readWorkflowRun } from './pull-request-comment.js'
import { storedRun } from '../../run/stored-run.js'
import { RESULTS } from '../../request/common-options.js'
import { textsOfRun } from './formats.js'

/** @import { Command } from 'commander' */

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
