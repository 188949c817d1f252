/** Runtimes of servers other than the Node that runs hopbench. */

export interface Runtime {
  title: string
  kind: 'node' | 'bun' | 'deno'
  version: string
  lastDay: string | null // end of life of its release line, ISO 8601; null: unknown
  program: string // inside the package
  args: string[] // precede the server's file
  env: Record<string, string>
  /** by platform, "linux-x64". package: on the npm registry; integrity: of the archive, as in package-lock.json */
  builds: Record<string, { package: string, integrity: string }>
}
/** A runtime that is installed. */
export interface FoundRuntime { name: string, runtime: Runtime, program: string }
