import t from '../support/tap.js'
import { isWithin } from '../../bench/shared/paths.js'

t.test('compares whole segments of a path with a folder', async t => {
  const table = [
    ['/srv/app', '/srv/app'],
    ['/srv/app', '/srv/app/index.js'],
    ['/srv/app', '/srv/application'],
    ['/srv/app', '/srv'],
    ['/srv/app', '/srv/..app/x'],
    ['/', '/srv'],
    ['/', '/']
  ].map(([folder, path]) => isWithin(folder, path))
  t.strictSame(table, [true, true, false, false, false, true, true])
})
