/**
 * Tests configurations of the kinds that documentation shows: of nginx, of Node frameworks and of hosting guides. Each
 * folder has four sites, which are tried at once. Configurations of other programs are tried alone and mended.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { openChecks } from '../../support/own-checks.js'

t.jobs = 3 // Most behaviours wait.
const skip = skipWithout('nginx') || skipWithout('namespaces')
const check = openChecks(t)

/** Settings that are right in all sites. */
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
    const { blocks, findings, rejected } = await check(workspace.dir, './sites')
    t.equal(rejected, null)
    const found = Object.fromEntries(blocks.map(({ host, index }) => [host, findings
      .filter(({ block }) => block === index).map(({ behaviour, detail }) => `${behaviour}: ${detail}`)]))
    t.strictSame(Object.keys(found).sort(), hosts.toSorted())
    const names = Object.entries(found).map(([host, failures]) => [host, failures.map(text => text.split(':')[0])])
    t.strictSame(Object.fromEntries(names), Object.fromEntries(hosts.map(host => [host, sites[host][1]])),
      JSON.stringify(found))
  })
}

/**
 * Configurations of other programs by path, with their failures, and the one that can remain after the patch. Varnish
 * sends nothing to a backend for 0.25 s after a refused connection, which no VCL can change, so pages fail where the
 * next process ends within that time.
 * @type {[path: string, text: string, failures: string[], timed?: string][]}
 */
const OTHERS = [
  ['Caddyfile', `(logged) {
\tencode gzip
\tlog {
\t\toutput file /var/log/caddy/{args.0}.log
\t}
}

shop.test, www.shop.test {
\timport logged shop
\thandle /api/* {
\t\treverse_proxy api:8000
\t}
\thandle {
\t\troot * /srv/shop
\t\tfile_server
\t}
}
`, ['forged-address']],
  ['site.caddy', `http://pool.test {
\t@live path /socket*
\treverse_proxy @live 127.0.0.1:3001
\treverse_proxy {
\t\tto 127.0.0.1:3001 127.0.0.1:3002
\t\tlb_policy round_robin
\t\theader_up Host {upstream_hostport}
\t\theader_up X-Real-IP {http.request.header.X-Real-IP}
\t}
}
`, ['forged-address', 'failover', 'rolling-restart']],
  ['haproxy.cfg', `global
    log /dev/log local0
    chroot /var/lib/haproxy
    stats socket /run/haproxy/admin.sock mode 660 level admin
    user haproxy
    group haproxy
    daemon
    crt-base /etc/ssl/private

defaults
    mode http
    option httplog
    option forwardfor
    timeout connect 5s
    timeout client 50s
    timeout server 50s
    errorfile 503 /etc/haproxy/errors/503.http

frontend web
    bind :80
    bind :443 ssl crt site.pem alpn h2,http/1.1
    http-request redirect scheme https unless { ssl_fc }
    acl is_api path_beg /api
    use_backend api if is_api
    default_backend pages

backend api
    server api1 api:4000 check
backend pages
    option httpchk GET /health
    server p1 pages:3000 check
`, ['forged-address', 'forged-address', 'https-scheme', 'https-scheme']],
  ['lb/haproxy.cfg', `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  compression algo gzip
  compression type text/html

listen stats
  bind :8404
  stats enable
  stats uri /

listen app
  bind *:8080
  balance leastconn
  cookie SRV insert indirect nocache
  server a node-a:3000 cookie a check
  server b node-b:3000 cookie b check
`, ['forged-address', 'failover', 'rolling-restart']],
  ['shop.conf', `<VirtualHost *:80>
    ServerName shop.test
    Redirect permanent / https://shop.test/
</VirtualHost>
<VirtualHost *:443>
    ServerName shop.test
    ErrorLog \${APACHE_LOG_DIR}/shop.log
    CustomLog \${APACHE_LOG_DIR}/access.log combined
    SSLEngine on
    SSLCertificateFile /etc/letsencrypt/live/shop.test/fullchain.pem
    SSLCertificateKeyFile /etc/letsencrypt/live/shop.test/privkey.pem
    Include /etc/letsencrypt/options-ssl-apache.conf
    ProxyPreserveHost On
    <Proxy balancer://shop>
        BalancerMember http://127.0.0.1:3001
    </Proxy>
    RewriteEngine on
    RewriteCond %{HTTP:Upgrade} websocket [NC]
    RewriteRule ^/?(.*) "ws://127.0.0.1:3001/$1" [P,L]
    ProxyPass / balancer://shop/
    ProxyPassReverse / balancer://shop/
</VirtualHost>
`, ['forged-address', 'https-scheme']],
  ['conf/httpd.conf', `ServerRoot "/usr/local/apache2"
Listen 80
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule log_config_module modules/mod_log_config.so
LoadModule mime_module modules/mod_mime.so
LoadModule proxy_module modules/mod_proxy.so
LoadModule proxy_http_module modules/mod_proxy_http.so
<IfModule unixd_module>
User www-data
Group www-data
</IfModule>
ErrorLog /proc/self/fd/2
DocumentRoot "/usr/local/apache2/htdocs"
ProxyPass "/app/" "http://app:3000/app/" upgrade=websocket
ProxyPassReverse "/app/" "http://app:3000/app/"
`, ['forged-address']],
  ['default.vcl', `vcl 4.1;
import directors;

# Two processes, and a long text: {"x"}
backend one { .host = "127.0.0.1"; .port = "3001"; }
backend two { .host = "127.0.0.1"; .port = "3002"; }

sub vcl_init {
    new cluster = directors.round_robin();
    cluster.add_backend(one);
    cluster.add_backend(two);
}

sub vcl_recv {
    set req.backend_hint = cluster.backend();
    if (req.http.Upgrade ~ "(?i)websocket") {
        return (pipe);
    }
    if (req.url ~ "^/page") {
        return (pass);
    }
    if (req.method == "GET") {
        return (hash);
    }
}

sub vcl_backend_response {
    set beresp.ttl = 5m; // everything; also errors
    return (deliver);
}
`, ['forged-address', 'websocket', 'cache-login', 'cache-private', 'cache-cookies', 'cache-errors', 'failover',
    'rolling-restart'], 'rolling-restart'],
  ['cache.vcl', `vcl 4.0;
import std;
acl purge { "localhost"; }
backend default {
  .host="app";
  .port="8080";
  .probe = { .url = "/health"; .interval = 5s; }
}
sub vcl_recv {
  if (req.method == "PURGE") {
    if (!client.ip ~ purge) { return (synth(405)); }
    return (purge);
  }
  unset req.http.Cookie;
}
`, ['forged-address']]
]

for (const [path, text, failures, timed] of OTHERS) {
  t.test(`${path} has the expected failures, which its patch mends`, { skip, buffered: true }, async t => {
    const workspace = makeWorkspace(t)
    const file = join(workspace.dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    const find = async () => {
      const { rejected, skipped, blocks, findings, patch } = await check(workspace.dir, `./${path}`)
      t.strictSame([rejected, skipped], [null, []])
      t.ok(blocks.length > 0)
      return { findings, patch }
    }
    const { findings: found, patch: input } = await find()
    t.strictSame(found.map(({ behaviour }) => behaviour), failures, JSON.stringify(found))
    t.ok(found.every(({ places: [{ file, line }] }) => file === path && line > 0))
    const { exit, stdout } = await run(['patch', '-p1', '-d', workspace.dir], { input })
    t.equal(exit, 0, stdout)
    const { findings: after } = await find()
    const others = after.map(({ behaviour }) => behaviour).filter(name => name !== timed)
    t.strictSame(others, [], JSON.stringify(after))
  })
}

/** Topologies whose recommended configuration is read back. */
const RECOMMENDED = ['haproxy:keepalive+gzip', 'caddy:keepalive+gzip',
  'apache:keepalive+websocket+cache=30s', 'varnish:keepalive+cache=30s']

for (const spec of RECOMMENDED) {
  t.test(`the recommended configuration of ${spec} has no failure`, { skip, buffered: true }, async t => {
    const workspace = makeWorkspace(t)
    const { stdout: text } = await hopbench(['config', `${spec}/express-json`], { workspace })
    // The output for Varnish is followed by the files of other programs.
    writeFileSync(join(workspace.dir, 'saved.txt'), `${text.split(/^# \/etc\//m)[0]}\n`)
    const { rejected, blocks, findings } = await check(workspace.dir, './saved.txt')
    t.strictSame([rejected, blocks.length, findings], [null, 1, []])
  })
}
