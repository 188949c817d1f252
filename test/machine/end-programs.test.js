/** Tests which commands only start another program. */
import t from '../support/tap.js'
import { isWrapperCommand } from '../../bench/machine/end-programs.js'

t.test('shells and package managers are wrappers', async t => {
  const wrappers = [
    '/bin/sh\0-c\0node server.js\0', 'bash\0start.sh\0', 'npm start\0\0\0', 'npm run build\0',
    'node\0/usr/lib/node_modules/npm/bin/npm-cli.js\0start\0', '/usr/bin/node\0/opt/pnpm.cjs\0start\0',
    'yarn\0start\0'
  ]
  for (const cmdline of wrappers) t.ok(isWrapperCommand(cmdline), cmdline)
})

t.test('servers are not', async t => {
  const servers = ['node\0server.js\0', '/usr/bin/python3\0/opt/bin/gunicorn\0app:app\0', 'node\0shop.js\0', '', 'app']
  for (const cmdline of servers) t.notOk(isWrapperCommand(cmdline), cmdline)
})
