/**
 * Tests configurations of the kinds that documentation shows: of nginx, of Node frameworks and of hosting guides. Each
 * folder has four sites, which are tried at once.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** @import { OwnRecord } from '../../../bench/features/own-config/types.js' */

t.jobs = 2 // Most behaviours wait.
const skip = skipWithout('nginx') || skipWithout('namespaces')

/** What all sites set right. */
const RIGHT = `client_max_body_size 20m;
    proxy_http_version 1.1;
    proxy_set_header Host $host;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $host;`
/** Certificate as Certbot names it. @param {string} name */
const certificate = name => `ssl_certificate /etc/letsencrypt/live/${name}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/${name}/privkey.pem;
    include /etc/letsencrypt/options-ssl-nginx.conf;
    ssl_dhparam /etc/letsencrypt/ssl-dhparams.pem;`

/** Sites with their failures by host. @type {Record<string, [text: string, failures: string[]]>[]} */
const FOLDERS = [
  {
    'next.test': [`upstream pages { server 127.0.0.1:3000; keepalive 64; }
      proxy_cache_path /var/cache/nginx/next keys_zone=next:1m;
      server { listen 80; server_name next.test; ${RIGHT}
        location /_next/static/ { proxy_cache next; proxy_pass http://pages; }
        location / { proxy_pass http://pages; } }`, []],
    'chat.test': [`map $http_upgrade $on_upgrade { default upgrade; '' close; }
      upstream chat { ip_hash; server 127.0.0.1:4001; server 127.0.0.1:4002; }
      server { listen 80; server_name chat.test; ${RIGHT}
        location /socket.io/ { proxy_pass http://chat; proxy_set_header Host $host;
          proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $on_upgrade; }
        location / { proxy_pass http://chat; } }`, ['rolling-restart']],
    'spa.test': [`server { listen 80; server_name spa.test; ${RIGHT} root /var/www/spa/dist;
        location / { try_files $uri $uri/ /index.html; }
        location /api { proxy_pass http://127.0.0.1:5000; proxy_buffering off; } }`, []],
    'blog.test': [`server { listen 80; server_name blog.test; return 301 https://$host$request_uri; }
      server { server_name blog.test; listen [::]:443 ssl ipv6only=on; listen 443 ssl; ${certificate('blog.test')}
        ${RIGHT}
        location / { proxy_pass http://localhost:8080; } }`, ['events']]
  },
  {
    'limited.test': [`limit_req_zone $binary_remote_addr zone=one:1m rate=2r/s;
      upstream limited { server 127.0.0.1:6001; server 127.0.0.1:6002; }
      server { listen 80; server_name limited.test; ${RIGHT}
        location / { limit_req zone=one burst=5 nodelay; proxy_pass http://limited; } }`, []],
    'both.test': [`server { listen 80; listen 443 ssl; server_name both.test; ${certificate('both.test')} ${RIGHT}
        proxy_buffering off;
        if ($scheme = http) { return 301 https://$host$request_uri; }
        location / { proxy_pass http://127.0.0.1:7000; } }`, []],
    'pattern.test': [`server { listen 80; server_name pattern.test; ${RIGHT}
        location ~ ^/(api|auth)/ { proxy_pass http://api:3000; }
        location / { root /srv/site; } }`, []],
    'socket.test': [`server { listen 80; server_name socket.test; root /srv/app/public;
        location / { try_files $uri @node; }
        location @node { proxy_pass http://unix:/tmp/sockets/node.sock; proxy_redirect off; }
        location ~* \\.(?:css|js)$ { expires 30d; } }`, ['large-upload', 'forged-address', 'kept-host', 'events']]
  },
  {
    'www.tenant.test': [`server { listen 80 default_server; server_name _; return 444; }
      server { listen 80; server_name *.tenant.test; ${RIGHT}
        location / { proxy_pass http://tenants:3000; } }`, []],
    'backup.test': [`upstream spare { zone spare 64k; server app1:3000 max_fails=0;
        server app2:3000 max_fails=0 backup; }
      server { listen 8080; server_name backup.test; ${RIGHT} proxy_connect_timeout 2s;
        location / { proxy_pass http://spare; } }`, []],
    'gateway.test': [`upstream users { server users:3001; }
      upstream orders { server orders:3002; }
      server { listen 80; server_name gateway.test; ${RIGHT}
        location /users/ { proxy_pass http://users/; }
        location /orders/ { proxy_pass http://orders/; }
        location / { return 404; } }`, []],
    'resolved.test': [`resolver 127.0.0.11 valid=10s;
      server { listen 80; server_name resolved.test; ${RIGHT} set $web http://web:3000;
        location / { proxy_pass $web; }
        location /health { return 200 ok; } }`, []]
  }
]

for (const sites of FOLDERS) {
  const hosts = Object.keys(sites)
  t.test(`${hosts.join(', ')} have the expected failures`, { skip, buffered: true }, async t => {
    const workspace = makeWorkspace(t)
    mkdirSync(join(workspace.dir, 'sites'))
    for (const [host, [text]] of Object.entries(sites)) {
      writeFileSync(join(workspace.dir, 'sites', `${host}.conf`), text)
    }
    const args = ['check', './sites', '--quick', '--json', '-o', workspace.results]
    const { stdout, stderr } = await hopbench(args, { workspace })
    t.ok(stdout.startsWith('{'), stderr)
    /** @type {OwnRecord} */
    const { blocks, findings, rejected } = JSON.parse(stdout)
    t.equal(rejected, null)
    const found = Object.fromEntries(blocks.map(({ host, index }) => [host, findings
      .filter(({ block }) => block === index).map(({ behaviour, detail }) => `${behaviour}: ${detail}`)]))
    t.strictSame(Object.keys(found).sort(), hosts.toSorted())
    const names = Object.entries(found).map(([host, failures]) => [host, failures.map(text => text.split(':')[0])])
    t.strictSame(Object.fromEntries(names), Object.fromEntries(hosts.map(host => [host, sites[host][1]])),
      JSON.stringify(found))
  })
}
