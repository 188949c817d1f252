import t from '../support/tap.js'
import { ownCommand, repeatWith } from '../../bench/machine/own-command.js'

const own = ownCommand()

t.test('repeats the typed command with one option more', t => {
  const argv = ['run', '--app', 'npm start', '--path', '/a', '--ready-within=5s']
  t.equal(repeatWith(argv, {}), null)
  t.equal(repeatWith(argv, { add: ['--header', 'Cookie: NAME=VALUE'] }),
    `${own} run --app 'npm start' --path /a --ready-within=5s --header 'Cookie: NAME=VALUE'`)
  t.equal(repeatWith(argv, { add: ['--path', '/b'] }), `${own} run --app 'npm start' --ready-within=5s --path /b`)
  t.equal(repeatWith(argv, { add: ['--ready-within', '10s'] }),
    `${own} run --app 'npm start' --path /a --ready-within 10s`)
  t.equal(repeatWith(['up', '--lab'], { add: ['--no-lab'] }), `${own} up`)
  t.end()
})

t.test('leaves secrets out of the repeated command', t => {
  const argv = ['run', '--header', 'Authorization: Bearer abcdef123456', '--path', '/']
  t.equal(repeatWith(argv, { add: ['--no-lab'] }),
    `${own} run --header 'Authorization: [redacted]' --path / --no-lab`)
  t.end()
})
