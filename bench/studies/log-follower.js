/** Reads the events that a run of `hopbench run --feed` appends to its log. */
import { closeSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { readFeed } from '../report/progress-feed.js'
import { attempt } from '../shared/attempt.js'

/** @import { FeedEvent } from '../report/progress-feed.js' */

const POLL_MS = 250 // Interval between two looks at the log. They cost the run next to nothing.

/** Reports the events of a log. */
export class LogFollower {
  #descriptor
  #report
  #timer
  #chunk = Buffer.alloc(1 << 16)
  /** Keeps the bytes of a character that is split between two reads. */
  #decoder = new StringDecoder()
  #incomplete = ''

  /**
   * @param {string} file
   * @param {(event: FeedEvent) => void} report
   */
  constructor (file, report) {
    this.#descriptor = openSync(file, 'r')
    this.#report = report
    // After a failure the end of the run is reported without the log.
    this.#timer = setInterval(() => attempt(() => this.#read(), () => clearInterval(this.#timer)), POLL_MS)
  }

  /** Reports what the log has gained since the last look, and ends. */
  close () {
    clearInterval(this.#timer)
    try {
      this.#read()
    } finally {
      closeSync(this.#descriptor)
    }
  }

  #read () {
    for (let size = this.#readChunk(); size > 0; size = this.#readChunk()) {
      const lines = (this.#incomplete + this.#decoder.write(this.#chunk.subarray(0, size))).split('\n')
      this.#incomplete = lines.pop() ?? ''
      for (const event of lines.map(readFeed)) if (event) this.#report(event)
    }
  }

  #readChunk () {
    return readSync(this.#descriptor, this.#chunk)
  }
}
