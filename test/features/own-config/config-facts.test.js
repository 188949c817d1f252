/** Tests which facts of a site are read from a configuration of nginx. */
import t from '../../support/tap.js'
import { readConfigFacts } from '../../../bench/features/own-config/index.js'

const SITE = `events {}
http {
  client_max_body_size 1536k;
  server { listen 80; return 301 https://$host$request_uri; }
  server {
    listen 443 ssl;
    server_name Shop.example www.shop.example *.shop.example _;
    location / { proxy_pass http://app:3000; }
    location /api/ { proxy_pass http://app:3000; limit_req zone=a; }
    location /old/ { proxy_pass http://old:4000; }
    location /static/ { alias /srv/public/; }
  }
}
`

t.test('reads names, the limit of bodies, paths, and parts that the recommended one does not have', async t => {
  const cwd = t.testdir({ 'nginx.conf': SITE })
  t.strictSame(readConfigFacts('nginx.conf', cwd), {
    hosts: ['shop.example', 'www.shop.example'],
    maxBody: 2,
    paths: ['/', '/api/'],
    others: [
      'the name *.shop.example',
      '/api/ (limit_req)',
      '/old/ (passed to http://old:4000)',
      '/static/ (the files of /srv/public/)'
    ]
  })
})

t.test('reads each size of nginx, and nothing from a configuration without an app', async t => {
  const sizes = { '20m': 20, '1g': 1024, 0: null, 10: 1, '100k': 1, odd: null }
  for (const [size, maxBody] of Object.entries(sizes)) {
    const text = `server { client_max_body_size ${size}; location / { proxy_pass http://app:1; } }`
    const cwd = t.testdir({ conf: { 'a.conf': text } })
    t.equal(readConfigFacts('conf', cwd)?.maxBody, maxBody, size)
  }
  t.equal(readConfigFacts('nginx.conf', t.testdir({ 'nginx.conf': 'events {} http { server { listen 1; } }' })), null)
})
