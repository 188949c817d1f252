/** Tests that the shell script that sets up a network never executes text of a stored run. */
import t from 'tap'
import { holderScript } from '../../bench/machine/lab-script.js'

const script = (/** @type {Record<string, string>} */ sysctl) =>
  holderScript({ ip: "/o'p/ip", tc: null, sysctl, ready: '/tmp/a b/ready' })

t.test('writes kernel settings as quoted names and values', async t => {
  t.match(script({ 'net.ipv4.ip_local_port_range': '32768 33767', 'net.ipv4.tcp_congestion_control': 'cubic' }),
    "\necho '32768 33767' > '/proc/sys/net/ipv4/ip_local_port_range'\necho 'cubic' > ")
  t.match(script({}), "'/o'\\''p/ip' link set lo up\n", 'paths are quoted')
})

t.test('rejects names and values with other characters', async t => {
  const names = ['net; id', 'net.$(id)', 'net/../../x', 'net..x', '', '.', "a'b", 'a b', 'a\nb', 'NET']
  for (const name of names) t.throws(() => script({ [name]: '1' }), { code: 'bad-sysctl', exit: 1 }, name)
  const values = ["1'; touch /tmp/pwned; '", '$(id)', '`id`', '1\nid', '1;id', '', ' ', '1 > /etc/x', '1\u001b[2J']
  for (const value of values) {
    t.throws(() => script({ 'net.core.somaxconn': value }), { code: 'bad-sysctl' }, value)
    t.throws(() => holderScript({ ip: 'ip', tc: 'tc', sysctl: { a: value }, ready: 'r' }), { code: 'bad-sysctl' })
  }
})
