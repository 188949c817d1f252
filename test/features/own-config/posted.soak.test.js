/**
 * Tests configurations of nginx of the kinds that people post with questions. Each gives its findings and nothing
 * false, and names what is not tried.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** @import { OwnRecord } from '../../../bench/features/own-config/types.js' */

t.jobs = 2 // Most behaviours wait.
const skip = skipWithout('nginx') || skipWithout('namespaces')

/** Failures of a block that only passes requests on. */
const BARE = ['large-upload', 'forged-address', 'kept-host', 'events']
/** @param {string} text content of http */
const http = text => `events {}\nhttp {\n${text}\n}\n`
const CERTIFICATE = 'ssl_certificate /etc/ssl/a.pem; ssl_certificate_key /etc/ssl/a.key; ssl_protocols TLSv1.2 TLSv1.3;'

/**
 * Files, failures by host, and the lines and texts of what is not tried.
 * @typedef {object} Posted
 * @property {Record<string, string>} files the main file first
 * @property {Record<string, string[]>} [failures]
 * @property {[line: number, why: string][]} [skipped]
 * @property {[line: number, why: string]} [rejected]
 * @property {RegExp} [note]
 */
/** @type {Record<string, Posted>} */
const POSTED = {
  'a blog of PHP beside an API of Node': {
    files: {
      'nginx.conf': http(`server { listen 80; listen [::]:80; server_name blog.example; root /var/www/html;
  location / { try_files $uri $uri/ /index.php?$args; }
  location ~ \\.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:/run/php/php-fpm.sock; } }
server { listen 80; server_name api.blog.example; location / { proxy_pass http://127.0.0.1:3000; } }`)
    },
    failures: { 'api.blog.example': BARE },
    skipped: [[5, 'fastcgi_pass is not tried, because no app of the check takes it']]
  },
  'a site without an ending in sites-available': {
    files: {
      default: `server { listen 80 default_server; server_name _;
  location /_next/static/ { alias /var/www/app/.next/static/; }
  location / { proxy_pass http://127.0.0.1:3000; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection 'upgrade'; proxy_set_header Host $host; } }`
    },
    failures: { 'example.com': ['plain-connection', 'large-upload', 'forged-address'] }
  },
  'Socket.IO on three hosts': {
    files: {
      'nginx.conf': http(`server { listen 80; location / { proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  proxy_set_header Host $host; proxy_pass http://nodes; proxy_http_version 1.1;
  proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade"; } }
upstream nodes { ip_hash; server app01:3000; server app02:3000; server app03:3000; }`)
    },
    failures: { 'example.com': ['plain-connection', 'large-upload', 'forged-address'] }
  },
  'gRPC beside an app with TLS': {
    files: {
      'nginx.conf': http(`server { listen 1443 ssl http2; ${CERTIFICATE} location / { grpc_pass grpc://127.0.0.1:1; } }
server { listen 443 ssl http2; server_name mixed.example; ${CERTIFICATE}
  location /pkg.Service/ { grpc_pass grpc://127.0.0.1:1; }
  location / { proxy_pass https://127.0.0.1:8443; } }`)
    },
    failures: { 'mixed.example': ['large-upload', 'forged-address', 'kept-host', 'https-scheme', 'events'] },
    skipped: [[3, 'grpc_pass is not tried, because no app of the check takes it (2 places)']]
  },
  'a cache of microseconds': {
    files: {
      'nginx.conf': http(`proxy_cache_path /tmp/cache keys_zone=micro:1m;
server { listen 80; server_name micro.example; proxy_cache micro; proxy_cache_valid 200 1s; proxy_cache_lock on;
  proxy_cache_use_stale updating; location / { proxy_pass http://127.0.0.1:8080; proxy_set_header Host $host; } }`)
    },
    failures: { 'micro.example': ['large-upload', 'forged-address', 'events', 'cache-cookies'] }
  },
  'a single page with an API below a prefix': {
    files: {
      'nginx.conf': http(`server { listen 8080; root /usr/share/nginx/html; location / { try_files $uri /index.html; }
  location /api/ { proxy_pass http://backend:8000/; }
  location /ws { proxy_pass http://backend:8000/ws; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection "Upgrade"; } }`)
    },
    failures: { 'example.com': BARE }
  },
  'a compose file with two proxies, names in variables and a mounted page': {
    files: {
      'compose.yaml': `services:
  api: { image: node, networks: [front, back] }
  edge:
    image: nginx:alpine
    networks: [front]
    volumes:
      - ./edge.conf:/etc/nginx/nginx.conf:ro
      - ./html:/usr/share/nginx/html
  inner:
    image: nginx:alpine
    volumes: ["./inner.conf:/etc/nginx/conf.d/default.conf"]
networks: { front: {}, back: {} }
`,
      'edge.conf': http(`resolver 127.0.0.11 ipv6=off;
server { listen 80; set $front http://frontend:3000; location / { proxy_pass $front; }
  location /api/ { set $api http://api:4000; rewrite ^/api/(.*) /$1 break; proxy_pass $api; } }`),
      'inner.conf': 'server { listen 80; location / { proxy_pass http://api:4000/; } }',
      'html/index.html': 'a page'
    },
    failures: { 'example.com': BARE },
    note: /Another service with a configuration is not tried/
  },
  'accounts, allowed addresses and a request for permission': {
    files: {
      'nginx.conf': http(`server { listen 80; server_name staging.example;
  auth_basic "x"; auth_basic_user_file .htpasswd;
  location / { proxy_pass http://127.0.0.1:3000; proxy_set_header Host $host; } }
server { listen 80; server_name admin.example; allow 192.168.1.0/24; deny all;
  location / { proxy_pass http://127.0.0.1:3001; } }
server { listen 80; server_name sso.example;
  location / { auth_request /auth; proxy_pass http://127.0.0.1:3002; }
  location = /auth { internal; proxy_pass http://auth:9000/verify; proxy_pass_request_body off; } }`)
    },
    failures: {
      'staging.example': ['large-upload', 'forged-address', 'events'], 'admin.example': BARE, 'sso.example': BARE
    }
  },
  'listeners behind a balancer, on a socket, on an address and on IPv6': {
    files: {
      'nginx.conf': http(`server { listen 80 proxy_protocol; server_name lb.example;
  location / { proxy_pass http://127.0.0.1:3000; proxy_set_header X-Forwarded-For $proxy_protocol_addr; } }
server { listen unix:/run/nginx/front.sock; server_name socket.example; proxy_buffering off;
  location / { proxy_pass http://127.0.0.1:3000; } }
server { listen 10.0.0.7:80; server_name fixed.example; client_max_body_size 20m;
  location / { proxy_pass http://10.0.0.8:3002; } }
server { listen [::]:8081 ipv6only=on; server_name six.example; location / { proxy_pass http://[::1]:3001; } }
server { listen 10.0.0.7:80; server_name other.example; location / { proxy_pass http://[::1]:3002; } }`)
    },
    failures: {
      'lb.example': BARE,
      'socket.example': ['large-upload', 'forged-address', 'kept-host'],
      'fixed.example': ['forged-address', 'kept-host', 'events'],
      'six.example': BARE
    },
    skipped: [[10, 'other.example, with the content of a block that is tried']]
  },
  'names as patterns, pools of a map, and blocks that respond themselves': {
    files: {
      'nginx.conf': http(`map $host $pool { default one; ~^b one; }
upstream one { server 127.0.0.1:3000; server 127.0.0.1:3001; }
geo $blocked { default 0; 10.0.0.0/8 1; }
server { listen 80 default_server; server_name _; return 444; }
server { listen 443 ssl default_server; ssl_reject_handshake on; }
server { listen 80; server_name ~^(?<sub>[a-z]+)\\.shop\\.example$;
  location / { proxy_pass http://$pool; proxy_set_header Host $host; } }
server { listen 80; server_name ~^api-\\d+\\.example$;
  location / { if ($blocked) { return 403; } proxy_pass http://127.0.0.1:3002; } }
server { listen 80; server_name *.wild.example; proxy_intercept_errors on; error_page 502 /oops.html;
  location / { proxy_pass http://127.0.0.1:3003; } location = /oops.html { root /srv/errors; internal; } }
server { listen 80; server_name open.example; location / { proxy_pass http://$host:3000; } }`)
    },
    failures: {
      'a.shop.example': ['large-upload', 'forged-address', 'events', 'rolling-restart'],
      'api-1.example': BARE,
      'www.wild.example': BARE
    },
    skipped: [[14, 'the address in its proxy_pass depends on the request']]
  },
  'limits, replaced links and named locations': {
    files: {
      'nginx.conf': http(`limit_req_zone $binary_remote_addr zone=api:1m rate=10r/s;
server { listen 80; server_name filter.example; root /srv/www; location / { try_files $uri @app; }
  location @app { proxy_pass http://app:3000; proxy_set_header Accept-Encoding ""; sub_filter http://app /; }
  location /api/ { limit_req zone=api burst=20 nodelay; proxy_pass http://app:3000; }
  if ($request_method !~ ^(GET|POST|HEAD)$) { return 405; } }`)
    },
    failures: { 'filter.example': BARE }
  },
  'apps with TLS, one of them another site': {
    files: {
      'nginx.conf': http(`upstream secure { server be1:8443; }
server { listen 80; server_name verified.example; location / { proxy_pass https://secure; proxy_ssl_verify on;
  proxy_ssl_trusted_certificate /etc/ssl/ca.pem; proxy_ssl_name be1; } }
server { listen 80; server_name other.example; location / { proxy_pass https://origin.example/; } }`)
    },
    failures: { 'verified.example': BARE, 'other.example': ['large-upload', 'forged-address', 'events'] }
  },
  'six sites, of which two are alike': {
    files: {
      'nginx.conf': http(['', '', 'client_max_body_size 50m;', 'proxy_buffering off;', 'proxy_http_version 1.1;',
        'gzip on;'].map((setting, i) => `server { listen 80; server_name site${i}.example; ${setting} ` +
        `location / { proxy_pass http://localhost:300${i}; } }`).join('\n'))
    },
    failures: {
      'site0.example': BARE,
      'site2.example': ['forged-address', 'kept-host', 'events'],
      'site3.example': ['large-upload', 'forged-address', 'kept-host'],
      'site4.example': ['large-upload', 'forged-address', 'kept-host']
    },
    skipped: [
      [4, 'site1.example, with the content of a block that is tried'],
      [8, 'site5.example, after 4 different blocks (--host chooses another one)']
    ]
  },
  'a directive that another version has': {
    files: { 'nginx.conf': http('server { listen 443 ssl;\nhttp2 on; location / { proxy_pass http://a; } }') },
    rejected: [4, 'unknown directive "http2"']
  },
  'a listener without a semicolon': {
    files: { 'nginx.conf': http('server { listen 80\nserver_name a; location / { proxy_pass http://a; } }') },
    rejected: [4, 'invalid parameter "server_name"']
  },
  'a block without an end': {
    files: { 'site.conf': 'server {\n  listen 80;\n  location / {\n    proxy_pass http://app:3000;\n' },
    rejected: [5, 'unexpected end of file, expecting "}"']
  },
  'a directive with a mistake': {
    files: { 'nginx.conf': http('server { location / { proxy_pas http://a; } }') },
    rejected: [3, 'unknown directive "proxy_pas"']
  },
  'a script in a module that is not there': {
    files: { 'nginx.conf': http('server { location / { access_by_lua_block { if x then y({}) end } } }') },
    rejected: [3, 'unknown directive "access_by_lua_block"']
  }
}

for (const [title, { files, failures = {}, skipped = [], rejected, note = /^/ }] of Object.entries(POSTED)) {
  t.test(`${title}: the expected failures, and sentences for the rest`, { skip, buffered: true }, async t => {
    const workspace = makeWorkspace(t)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(workspace.dir, 'x', name)), { recursive: true })
      writeFileSync(join(workspace.dir, 'x', name), text)
    }
    const args = ['check', './x', '--quick', '--json', '-o', workspace.results]
    const { stdout, stderr } = await hopbench(args, { workspace })
    t.ok(stdout.startsWith('{'), stderr)
    const record = /** @type {OwnRecord} */ (JSON.parse(stdout))
    t.strictSame(record.rejected && [record.rejected.line, record.rejected.why], rejected ?? null)
    const found = Object.fromEntries(record.blocks.map(({ host, index }) =>
      [host, record.findings.filter(({ block }) => block === index).map(({ behaviour }) => behaviour)]))
    t.strictSame(found, failures, JSON.stringify(record.findings.map(({ behaviour, detail }) => [behaviour, detail])))
    t.strictSame(record.skipped.map(({ line, why }) => [line, why]), skipped)
    t.match(record.notes.join(' '), note)
    t.strictSame(record.cells.filter(({ detail }) => detail?.startsWith('not tried')), [])
  })
}
