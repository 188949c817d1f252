/** Runtimes of servers other than the Node that runs hopbench. */

/** A build for one platform. */
export interface RuntimeBuild {
  package: string // on the npm registry
  integrity: string // of the archive, as in package-lock.json
}
export interface Runtime {
  title: string
  kind: 'node' | 'bun' | 'deno'
  version: string
  lastDay: string | null // end of life of its release line, ISO 8601; null: unknown
  program: string // inside the package
  args: string[] // precede the server's file
  env: Record<string, string>
  builds: Record<string, RuntimeBuild> // by platform, "linux-x64"
}
/** A runtime that is installed. */
export interface FoundRuntime { name: string, runtime: Runtime, program: string }
