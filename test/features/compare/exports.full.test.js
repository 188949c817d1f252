/** Files that commands export, with the current options and with those of the previous release. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { failsWell, hopbench, makeWorkspace, project } from '../../support/cli.js'

t.test('report and compare write files in every format at once', async t => {
  const workspace = makeWorkspace(t)
  const set = 'intel-r-xeon-r-processor-6-207-2-cores-24-gib-linux-x64-6.18-kvm'
  const run = join(project, 'results/reference', set, '2026-11-30T16-36-47Z-uds')
  /** @type {Record<string, RegExp>} */
  const begins = {
    json: /^\{\n/,
    csv: /^[a-z]+,/i,
    markdown: /^\*\*/,
    svg: /^<\?xml .*\n<svg /,
    html: /^<!doctype html>/,
    badge: /^\{\n {2}"schemaVersion": 1,/,
    comment: /^<!-- hopbench comment -->\n/,
    junit: /^<\?xml .*\n<testsuites /
  }
  for (const args of [['report', run], ['compare', run, run]]) {
    const files = Object.keys(begins).flatMap(format => [`--export-${format}`, `${args[0]}/${format}`])
    const { stdout, stderr } = await hopbench([...args, ...files], { workspace })
    t.match(stdout, /./)
    t.equal(stderr, `Written: ${files.filter(spec => !spec.startsWith('--')).join(', ')}`)
    for (const [format, beginning] of Object.entries(begins)) {
      t.match(readFileSync(join(workspace.dir, args[0], format), 'utf8'), beginning, `${format} of ${args[0]}`)
    }
  }
  await failsWell(t, await hopbench(['report', run, '--export-csv', '-', '--json'], { workspace }), {
    workspace, exit: 2, message: /--json is not possible here: it and --export-csv - are mutually exclusive/
  })
  await failsWell(t, await hopbench(['report', run, '--export-csv', 'report/json/y.csv'], { workspace }), {
    workspace, exit: 2, message: /--export-csv cannot be "report\/json\/y.csv": its folder cannot be written/
  })
})
