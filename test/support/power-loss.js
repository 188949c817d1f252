/**
 * Records the states of a folder in which a loss of power can leave it. A state is taken after each system call: as
 * written, which a killed process leaves, and as synced, the least that POSIX guarantees after a loss of power.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

/** @import { FileHandle } from 'node:fs/promises' */

/** @typedef {Map<string, Buffer | null>} Tree contents by relative path; null: a folder */
/** @typedef {{ call: string, written: Tree, synced: Tree }} DiskState call: the system call before it */

export class DiskRecorder {
  /** @type {DiskState[]} */
  states = []
  /** Synced contents of files, by inode. @type {Map<number, Buffer>} */
  #contents = new Map()
  /** Synced names in folders, by inode of the folder. @type {Map<number, [string, number][]>} */
  #names = new Map()
  /** @type {Set<number>} */
  #folders = new Set()

  /** @param {string} root folder that exists */
  constructor (root) {
    this.root = root
    this.#folders.add(getInode(root))
    this.#syncFolder(root)
  }

  /** Returns functions to put in place of those of node:fs/promises. */
  get functions () {
    return {
      ...fs,
      open: (/** @type {string} */ path, /** @type {any} */ flags) => this.#open(path, flags),
      mkdir: async (/** @type {string} */ path, /** @type {any} */ options) => {
        const made = await fs.mkdir(path, options)
        if (made || !options?.recursive) this.#take(`mkdir ${basename(path)}`)
        return made
      },
      rename: async (/** @type {string} */ from, /** @type {string} */ to) => {
        await fs.rename(from, to)
        this.#take(`rename ${basename(to)}`)
      },
      truncate: async (/** @type {string} */ path, /** @type {number} */ length) => {
        await fs.truncate(path, length)
        this.#take(`truncate ${basename(path)}`)
      }
    }
  }

  /**
   * @param {string} path
   * @param {any} flags
   */
  async #open (path, flags) {
    const file = await fs.open(path, flags)
    if ((await file.stat()).isDirectory()) {
      this.#onSync(file, () => this.#syncFolder(path), `sync of the folder ${basename(path)}`)
      return file
    }
    if (readFileSync(path).length === 0) this.#contents.delete(getInode(path))
    this.#take(`open ${basename(path)}`)
    this.#onSync(file, () => { this.#contents.set(getInode(path), readFileSync(path)) }, `sync of ${basename(path)}`)
    for (const method of /** @type {const} */ (['writeFile', 'appendFile'])) {
      /** @type {(text: string) => Promise<void>} */
      const write = file[method].bind(file)
      // Writes in two halves, because a write is not atomic.
      file[method] = /** @type {any} */ async (/** @type {string} */ text) => {
        const half = Math.floor(text.length / 2)
        for (const part of [text.slice(0, half), text.slice(half)]) {
          await write(part)
          this.#take(`${method} of half of ${basename(path)}`)
        }
      }
    }
    return file
  }

  /**
   * @param {FileHandle} file
   * @param {() => void} keep
   * @param {string} call
   */
  #onSync (file, keep, call) {
    for (const method of /** @type {const} */ (['sync', 'datasync'])) {
      const sync = file[method].bind(file)
      file[method] = async () => {
        await sync()
        keep()
        this.#take(call)
      }
    }
  }

  /** @param {string} folder */
  #syncFolder (folder) {
    const entries = readdirSync(folder, { withFileTypes: true })
    for (const entry of entries) {
      if (entry.isDirectory()) this.#folders.add(getInode(join(folder, entry.name)))
    }
    this.#names.set(getInode(folder), entries.map(({ name }) => [name, getInode(join(folder, name))]))
  }

  /** @param {string} call */
  #take (call) {
    this.states.push({ call, written: readTree(this.root), synced: this.#readSynced(getInode(this.root)) })
  }

  /**
   * @param {number} folder
   * @param {string} [path]
   * @returns {Tree}
   */
  #readSynced (folder, path = '') {
    /** @type {Tree} */
    const tree = new Map()
    for (const [name, inode] of this.#names.get(folder) ?? []) {
      const isFolder = this.#folders.has(inode)
      tree.set(join(path, name), isFolder ? null : this.#contents.get(inode) ?? Buffer.alloc(0))
      if (isFolder) this.#readSynced(inode, join(path, name)).forEach((content, inner) => tree.set(inner, content))
    }
    return tree
  }
}

const getInode = (/** @type {string} */ path) => lstatSync(path).ino

/**
 * @param {string} root
 * @returns {Tree}
 */
const readTree = root => new Map(readdirSync(root, { recursive: true, withFileTypes: true }).map(entry => {
  const path = join(entry.parentPath, entry.name)
  return [relative(root, path), entry.isDirectory() ? null : readFileSync(path)]
}))

/**
 * Writes a recorded state into a folder.
 * @param {Tree} tree
 * @param {string} root
 */
export function restore (tree, root) {
  mkdirSync(root, { recursive: true })
  for (const [path, content] of tree) {
    mkdirSync(content === null ? join(root, path) : dirname(join(root, path)), { recursive: true })
    if (content !== null) writeFileSync(join(root, path), content)
  }
}
