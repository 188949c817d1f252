import t from '../support/tap.js'
import { isConfigWord } from '../../bench/request/config-word.js'
import { inEnvironment } from '../support/provoke.js'

t.test('a configuration is a file of nginx or compose, a folder, or standard input', async t => {
  const dir = t.testdir({ nginx: { 'a.conf': '' }, sites: '', 'app.js': '', 'own.json': '' })
  inEnvironment(t, { INIT_CWD: dir })
  const words = ['-', 'nginx.conf', './missing.conf', 'compose.yaml', './nginx', './sites']
  t.strictSame(words.map(isConfigWord), words.map(() => true))
  const others = ['uds', 'app', 'nginx:uds/./app.js', './app.js', './own.json', './none', 'http://127.0.0.1/a.conf']
  t.strictSame(others.map(isConfigWord), others.map(() => false))
})
