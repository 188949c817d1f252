/**
 * Every option that takes a file, and every file of a project that is read, given a FIFO, a folder, an endless device
 * and a file beyond its limit: each command ends within seconds, with one error.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../support/tap.js'
import { failsWell, hopbench, makeWorkspace } from '../support/cli.js'
import { failsInProcess } from '../support/in-process.js'

/** Limit of a command, in seconds. The start of a process takes one. */
const SECONDS = 20
/** Beyond the largest limit, that of the log of --profile. A sparse file takes no space. */
const LARGE_BYTES = 5 * 2 ** 30

/** @type {Record<string, { plant: (file: string) => void, why: RegExp }>} */
const kinds = {
  'a FIFO': { plant: file => { execFileSync('mkfifo', [file]) }, why: /it is not a plain file/ },
  'a folder': { plant: file => { mkdirSync(file) }, why: /it is not a plain file/ },
  // The folder of a run has no links.
  'an endless device': {
    plant: file => symlinkSync('/dev/zero', file), why: /it is not a plain file|it is a symbolic link/
  },
  'a large file': {
    plant: file => {
      writeFileSync(file, '')
      truncateSync(file, LARGE_BYTES)
    },
    why: /it is larger than \d+ MiB/
  }
}

const APP = ['--app', 'npm start']
const SIZE = ['size', 'http-json', '--rps', '100', '--p99', '50ms']
const DOCKER = ['config', 'app', ...APP, '--target', 'docker']
/** @type {Record<string, { file: string, words: string[], exit?: 1 | 2, code: string }>} */
const places = {
  '--paths': { file: 'list.txt', words: ['run', 'app', ...APP, '--paths', 'list.txt'], code: 'paths-unreadable' },
  '--har': { file: 'page.har', words: ['run', 'app', ...APP, '--har', 'page.har'], code: 'har-unreadable' },
  '--body-file': { file: 'body', words: ['run', 'app', ...APP, '--body-file', 'body'], code: 'bad-option' },
  'an experiment': { file: 'compare.json', words: ['run', './compare.json'], code: 'bad-experiment' },
  'a module': { file: 'compare.mjs', words: ['run', './compare.mjs'], code: 'bad-experiment' },
  '--plans': { file: 'plans.json', words: [...SIZE, '--plans', 'plans.json'], code: 'bad-plans' },
  '--profile': { file: 'rates', words: [...SIZE, '--profile', 'rates'], code: 'bad-profile' },
  '--dockerfile': { file: 'Own', words: [...DOCKER, '--dockerfile', 'Own'], code: 'bad-option' },
  'a lock file': { file: 'package-lock.json', words: DOCKER, code: 'bad-project-file' },
  'package.json': { file: 'package.json', words: DOCKER, code: 'bad-project-file' },
  '.npmrc': { file: '.npmrc', words: DOCKER, code: 'bad-project-file' },
  'a stored run': { file: 'stored/run.json', words: ['report', './stored'], exit: 1, code: 'bad-run-file' },
  'stored samples': { file: 'stored/samples.jsonl', words: ['report', './stored'], exit: 1, code: 'bad-run-file' }
}
/** Files whose commands have a process of their own, because a process has one folder of results. */
const STORED = ['a stored run', 'stored samples']

for (const [place, { file, words, exit = 2, code }] of Object.entries(places)) {
  for (const [kind, { plant, why }] of Object.entries(kinds)) {
    t.test(`rejects ${kind} in place of ${place}`, async t => {
      const workspace = makeWorkspace(t)
      writeFileSync(join(workspace.dir, 'package.json'), '{"name":"shop","scripts":{"start":"node app.js"}}')
      const path = join(workspace.dir, file)
      mkdirSync(dirname(path), { recursive: true })
      rmSync(path, { force: true })
      plant(path)
      const expected = { workspace, exit, message: new RegExp(`(?:${why.source})[^]*\\[${code}\\]`) }
      if (!STORED.includes(place)) return failsInProcess(t, words, expected)
      const result = await hopbench(words, { workspace, timeoutSeconds: SECONDS })
      t.equal(result.timedOut, false)
      await failsWell(t, result, expected)
    })
  }
}
