import t from '../../support/tap.js'
import { extractSubset } from '../../../bench/machine/setup/npm-packages.js'
import { findImportedPackages } from '../../../bench/topology/server-packages.js'

const lock = {
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { a: '^1.0.0' }, devDependencies: { b: '^1.0.0' } },
    'node_modules/a': { version: '1.0.0', dependencies: { shared: '^1.0.0' } },
    'node_modules/b': { version: '1.1.0', dev: true, dependencies: { shared: '^2.0.0', deep: '1' } },
    'node_modules/b/node_modules/shared': { version: '2.0.0', dev: true },
    'node_modules/deep': {
      version: '1.0.0', inBundle: true, optionalDependencies: { none: '1' }, peerDependencies: { b: '1' }
    },
    'node_modules/shared': { version: '1.0.0' },
    'node_modules/other': { version: '1.0.0', dev: true }
  }
}

t.test('keeps a package and its dependencies in the same folders and versions', async t => {
  t.strictSame(extractSubset(lock, ['b']), {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { b: '1.1.0' } },
      'node_modules/b': { version: '1.1.0', dependencies: { shared: '^2.0.0', deep: '1' } },
      'node_modules/b/node_modules/shared': { version: '2.0.0' },
      'node_modules/deep': { version: '1.0.0', optionalDependencies: { none: '1' }, peerDependencies: { b: '1' } }
    }
  })
})

t.test('packages share common dependencies', async t => {
  t.strictSame(Object.keys(extractSubset(lock, ['a', 'b']).packages), ['', 'node_modules/a', 'node_modules/b',
    'node_modules/b/node_modules/shared', 'node_modules/deep', 'node_modules/shared'])
})

t.test('finds scoped dependencies in parent folders', async t => {
  const packages = {
    'node_modules/@x/a': { version: '1.0.0', dependencies: { '@x/b': '1' } },
    'node_modules/@x/b': { version: '1.0.0' }
  }
  t.strictSame(Object.keys(extractSubset({ lockfileVersion: 3, packages }, ['@x/a']).packages).length, 3)
})

t.test('finds the packages that a server imports dynamically', async t => {
  t.strictSame(findImportedPackages(`import { join } from 'node:path'
    const { default: a } = await import('@x/a'); await import('b'); await import('b/c'); await import('node:fs')
    await import('@x/d/e.js'); await import('./c.js')`), ['@x/a', 'b', '@x/d'])
})
