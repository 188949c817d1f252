/** Commands that measure an answer on another machine. */
import t from '../support/tap.js'
import { answerTo } from '../../bench/report/answers/answer.js'
import { listCommands } from '../../bench/report/answers/page.js'
import { QUESTIONS } from '../../bench/report/answers/questions.js'
import { makeArm, makeRecord } from '../support/record.js'

t.test('the command that repeats a run of current programs takes them too', async t => {
  const arms = [makeArm({ spec: 'nginx:keepalive+release=current/express-json' }), makeArm({ spec: 'express-json' })]
  const current = { ...makeRecord({ arms }), experiment: 'proxies' }
  const query = QUESTIONS.find(({ id }) => id === 'proxy') ?? QUESTIONS[0]
  const second = { ...makeRecord(), experiment: 'app-weight' }
  t.strictSame(listCommands(answerTo(query, { records: [current], second })),
    ['npm run hopbench -- run proxies --release current', 'npm run hopbench -- run app-weight'])
  t.strictSame(listCommands(answerTo(query, { records: [] })),
    ['npm run hopbench -- run proxies', 'npm run hopbench -- run app-weight'])
})
