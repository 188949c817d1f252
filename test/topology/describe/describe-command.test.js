import t from '../../support/tap.js'
import { describeCommand } from '../../../bench/topology/describe/describe-command.js'

t.test('the npm of an app runs prestart, and the app gets the address to listen at', async t => {
  /** @type {any} */
  const command = { run: 'npm start', cwd: '/app', readySeconds: 60, quiet: false }
  /** @type {any} */
  const context = { dir: '/tmp/t', root: '/files' }
  const [{ env }] = describeCommand(command, context, [{ kind: 'tcp', host: '10.0.0.1', port: 8080 }]).processes
  t.equal(env.npm_config_ignore_scripts, '', 'npm ignores an empty value')
  t.match(env, { HOST: '10.0.0.1', HOSTNAME: '10.0.0.1', PORT: '8080', NODE_ENV: 'production' })
})
