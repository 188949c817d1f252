/** Tests that the shell script that sets up a network never executes text of a stored run. */
import t from '../../support/tap.js'
import { holderScript } from '../../../bench/machine/network/lab.js'

const script = (/** @type {Record<string, string>} */ sysctl) =>
  holderScript({ ip: "/o'p/ip", tc: null, sysctl, ready: '/tmp/a b/ready' })

t.test('writes kernel settings as quoted names and values', async t => {
  t.match(script({ 'net.ipv4.ip_local_port_range': '32768 33767', 'net.core.somaxconn': '9' }),
    "\necho '32768 33767' > '/proc/sys/net/ipv4/ip_local_port_range'\necho '9' > '/proc/sys/net/core/somaxconn'\n")
  t.match(script({}), "'/o'\\''p/ip' link set lo up\n", 'paths are quoted')
})

t.test('sets the congestion control by route, cubic unless an arm has its own', async t => {
  const control = 'net.ipv4.tcp_congestion_control'
  t.match(script({}), /congctl 'cubic' \|\|\n[^)]*\) \|\| :\n/, 'the run goes on without cubic')
  t.match(script({ [control]: 'bbr' }), /congctl 'bbr' \|\|\n[^)]*\) \|\| \{ echo .* exit 1; \}\n/)
  t.notMatch(script({ [control]: 'bbr' }), /cubic|tcp_congestion_control/)
  t.throws(() => script({ [control]: "bbr'; id; '" }), { code: 'bad-sysctl' })
  const twoHosts = holderScript({ ip: 'ip', tc: 'tc', sysctl: {}, ready: 'r' })
  t.equal(twoHosts.split("congctl 'cubic'").length - 1, 2, 'at both ends of the link')
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
