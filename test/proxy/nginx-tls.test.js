import t from '../support/tap.js'
import { filesConf, VERSIONS } from '../support/nginx-conf.js'

t.test('offers one TLS version and one cipher', async t => {
  for (const [tls, cipher] of [['rsa2048', 'ECDHE-RSA-AES256-GCM-SHA384'], ['rsa4096', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ['ecdsa-p256', 'ECDHE-ECDSA-AES256-GCM-SHA384']]) {
    for (const version of VERSIONS) {
      const text = filesConf({ version, options: { tls, tls_version: 1.2 } })
      t.match(text, /ssl_certificate \/tmp\/tls\/a\.crt;\n.*ssl_certificate_key \/tmp\/tls\/a\.key;/)
      t.match(text, 'listen 127.0.0.1:8080 ssl backlog=4096;')
      t.match(text, `ssl_protocols TLSv1.2;\n        ssl_ciphers ${cipher};\n`)
      t.match(text, /ssl_prefer_server_ciphers on;[^]*ssl_ecdh_curve X25519:prime256v1;\n.*ssl_buffer_size 16k;/)
      t.notMatch(text, /ssl_conf_command/)
      const newer = filesConf({ version, options: { tls } })
      t.match(newer, 'ssl_protocols TLSv1.3;')
      t.notMatch(newer, /ssl_ciphers/)
      t.equal(/ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;/.test(newer), version !== '1.18.0',
        `sets the cipher suite where nginx ${version} supports it`)
    }
  }
  const certificate = { certFile: '/my files/a.crt', keyFile: '/my files/a.key' }
  t.match(filesConf({ options: { tls: 'rsa2048' }, certificate }), /ssl_certificate "\/my files\/a\.crt";/)
})

t.test('resumes TLS sessions only with tls_session', async t => {
  t.match(filesConf({ options: { tls: 'rsa2048' } }), /ssl_session_cache off;\n *ssl_session_tickets off;/)
  t.match(filesConf({ options: { tls: 'rsa2048', tls_session: true } }),
    /ssl_session_cache shared:tls:10m;\n *ssl_session_tickets on;\n *ssl_session_timeout 1h;/)
  t.match(filesConf({ options: { tls: 'rsa2048' }, purpose: 'home' }),
    'ssl_session_timeout 1d;', 'always in production')
})

t.test('enables HTTP/2 as a parameter of listen, and from 1.25.1 on as a directive', async t => {
  const options = { tls: 'rsa2048', http2: true }
  t.match(filesConf({ version: '1.22.1', options }), /listen 127\.0\.0\.1:8080 ssl http2 backlog=4096;\n(?!.*http2 on)/)
  const later = filesConf({ version: '1.25.1', options })
  t.match(later, /listen 127\.0\.0\.1:8080 ssl backlog=4096;\n {8}http2 on;/)
  t.notMatch(filesConf({ version: '1.25.1', options: { tls: 'rsa2048' } }), /http2/)
})
