/** Tests which files are taken for secrets. */
import t from '../support/tap.js'
import {
  SECRET_NAMES, SUSPECT_NAMES, hasSecretSetting, hasSecretText, isSecretName, isSuspectName
} from '../../bench/shared/secret-files.js'
import { SECRET_FILES, SECRET_TEXTS } from '../support/context-property.js'

t.test('finds secrets by the name of a file or of a folder above it, at any depth and in any case', async t => {
  for (const name of SECRET_FILES) {
    for (const path of [name, `a/b/${name}`, name.toUpperCase()]) t.ok(isSecretName(path), path)
  }
  for (const path of ['secrets.js', 'environment.js', 'keys.js', 'src/key.js', 'schema.sql', 'migrations/1.sql',
    'package.json', '.npmrc', 'ca.pem', 'env', 'Dockerfile', '.dockerignore', 'docker/config.json', 'monkey']) {
    t.notOk(isSecretName(path), path)
  }
  t.strictSame(['.npmrc', 'a/ca.PEM', '.yarnrc.yml', 'npmrc'].map(isSuspectName), [true, true, true, false])
})

t.test('finds secrets by the text of a file', async t => {
  for (const [name, text] of SECRET_TEXTS) t.ok(hasSecretText(name, text), name)
  for (const token of [`sk-ant-api03-${'a1B2'.repeat(10)}`, `hf_${'aB'.repeat(17)}`, `whsec_${'a1B2'.repeat(8)}`]) {
    t.ok(hasSecretText('a.js', `const key = '${token}'`), token)
  }
  const ordinary = [
    ['a.js', "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) read(text)"],
    ['b.js', 'const password = process.env.PASSWORD; const token = getToken()'],
    ['c.js', 'process.env.npm_package_version'],
    ['d.js', "const hf_tokenizer_of_the_model_in_use = 'sk-ant-…'; isToken = /^ghp_[a-z]/; 'AKIAEXAMPLE'"],
    ['ca.pem', '-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0B\n'],
    ['package.json', '{ "author": "Me <me@example.com>", "keywords": ["token"] }']
  ]
  for (const [name, text] of ordinary) t.notOk(hasSecretText(name, text), text)
})

t.test('a variable in settings is no secret, and a token beside it is one', async t => {
  const variable = '$' + '{TOKEN}'
  t.notOk(hasSecretSetting(`//r.example/:_authToken=${variable}\nalways-auth=true\nregistry=https://r.example/\n`))
  t.notOk(hasSecretSetting(`npmAuthToken: "${variable}"\nnpmAlwaysAuth: true\n`))
  t.ok(hasSecretSetting(`//r.example/:_authToken=${variable}\n//s.example/:_authToken=abcdefgh\n`))
  t.ok(hasSecretSetting('//r.example/:_password=abcdefgh'))
})

t.test('no name is listed twice', async t => {
  const names = [...SECRET_NAMES, ...SUSPECT_NAMES]
  t.equal(new Set(names).size, names.length)
})
