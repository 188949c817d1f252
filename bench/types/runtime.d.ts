/** What a server can run under beside the Node of the suite. */

/** A build for one platform. */
export interface RuntimeBuild {
  package: string // on the npm registry
  integrity: string // of its archive, as in package-lock.json
}
export interface Runtime {
  title: string
  kind: 'node' | 'bun' | 'deno'
  version: string
  lastDay: string | null // of releases for its line, ISO 8601; null: nobody has said
  program: string // inside the package
  args: string[] // before the server's file
  env: Record<string, string>
  builds: Record<string, RuntimeBuild> // by "linux-x64"
}
/** One that is here. */
export interface FoundRuntime { name: string, runtime: Runtime, program: string }
