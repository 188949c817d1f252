/** Writes a deploy kit for the app of the check, and starts it as its platform would. */
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from '../../../load/scenario-client.js'
import { start, waitUntil } from '../../../machine/process.js'
import { printOptions } from '../../../plan/spec.js'
import { callWorker } from '../../../run/call-worker.js'
import { renew } from './proxy-subject.js'
import {
  FOLDER, PAGE, PREFIX, copyCertificate, getCertificatePaths, makeFolders, readLogs, writeSite
} from './subject-files.js'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { TARGETS } from '../kit/targets.js'

/** @import { Child, Network } from '../../../machine/types.js' */
/** @import { KitTask } from '../kit/deploy-kit.js' */
/** @import { Ports } from './study.js' */
/** @import { SubjectOptions } from './types.js' */

/** Address of a router, as `--trust` names it. It leads to this machine, like all of 127.0.0.0/8 on Linux. */
const ROUTER = '127.0.0.9'
const KIT = 'deploy/'
const APP = 'app.mjs'
const NAME = 'app'
/** Socket of the app in the folder RUN. */
const SOCKET = 'app.sock'
/** Client connections that nginx must hold. */
const CONNECTIONS = 1000
/** Timeout for writing a kit. */
const KIT_SECONDS = 60
const appFile = fileURLToPath(new URL('./app.js', import.meta.url))

/** Most time for the restart of a process of the app, above that of its drain. */
const RESTART_SECONDS = 40
/** Time from SIGTERM to SIGKILL where a platform has its own: `docker stop`. */
const STOP_SECONDS = 30
const DOCKER_STOP_SECONDS = 10

/**
 * @param {SubjectOptions} options
 * @param {Ports} ports
 * @param {Network} network
 */
export async function startKit (options, ports, { enterServed }) {
  const { subject: { name: target }, behaviour, dir, program } = options
  const project = join(dir, 'project')
  const runFolder = join(dir, 'run')
  await writeProject(project, options)
  makeFolders([runFolder], enterServed)
  const hasTls = behaviour.options?.tls !== undefined
  if (hasTls) copyCertificate(options.certificates[0], dir)
  const child = start({
    name: `the kit for ${target}`,
    argv: ['sh', join(project, KIT, 'start.sh')],
    env: {
      ...program.env,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NGINX_PROGRAM: program.program,
      PORT: String(ports.front),
      HTTP_PORT: String(ports.redirect),
      RUN: runFolder
    },
    cwd: project,
    enter: enterServed,
    log: join(dir, 'kit.log')
  })
  return {
    child,
    subject: {
      router: ROUTER,
      routerIdleSeconds: TARGETS[target].routerIdleSeconds,
      stopSeconds: target === 'docker' ? DOCKER_STOP_SECONDS : STOP_SECONDS,
      tls: hasTls ? { redirectPort: ports.redirect, renewCertificate: () => renew(child, options) } : null,
      restartProcesses: () => restartProcesses(child, join(runFolder, SOCKET), behaviour.processes ?? 1),
      // Heroku sends SIGTERM to every process, the other platforms to the first one.
      askToEnd () {
        if (target === 'heroku') child.signal('SIGTERM')
        else process.kill(child.pid, 'SIGTERM')
      },
      readLogs: () => readLogs(dir)
    }
  }
}

/**
 * Ends each process of the app, and the next one when the first process of the app has started another.
 * @param {Child} child
 * @param {string} socketPath
 * @param {number} processes
 */
async function restartProcesses (child, socketPath, processes) {
  const listProcesses = async () => {
    /** @type {Set<number>} */
    const pids = new Set()
    // Each new connection goes to another process.
    for (let i = 0; i < 2 * processes; i++) {
      const { outcome, body } = await request({ url: '', socketPath, host: '', port: null }, { path: '/pid' })
      if (outcome === 'ok') pids.add(Number(body))
    }
    return pids
  }
  for (const pid of await listProcesses()) {
    process.kill(pid, 'SIGTERM')
    await waitUntil(child, async () => {
      const pids = await listProcesses()
      return pids.size === processes && !pids.has(pid)
    }, { timeoutSeconds: RESTART_SECONDS })
  }
}

/**
 * Writes the app and the files of the kit. The platforms mount the certificate into folders of the system.
 * @param {string} project
 * @param {SubjectOptions} options
 */
async function writeProject (project, { subject: { name: target }, behaviour, dir, change = text => text }) {
  const { options = {}, processes = 1 } = behaviour
  const request = {
    spec: `nginx:uds-keepalive${printOptions(options)}/./${APP}`,
    app: { connections: CONNECTIONS, ...behaviour.hasFiles && { files: [`${PREFIX}=./${FOLDER}`] } },
    kit: { target, out: `./${KIT}`, trust: [ROUTER], processes }
  }
  cpSync(await getKit(request, dirname(dir)), project, { recursive: true })
  // Afterwards, because hopbench rejects a folder with hidden files and links.
  if (behaviour.hasFiles) writeSite(project)
  for (const file of ['nginx.conf', 'start.sh']) {
    const path = join(project, KIT, file)
    const text = readFileSync(path, 'utf8')
      .replaceAll(/\/run\/(?:secrets|credentials\/[\w.-]+)(?=\/site\.)/g, dirname(getCertificatePaths(dir).certFile))
    writeFileSync(path, change(text))
  }
}

/**
 * Projects with a kit, by folder and request.
 * @type {Map<string, Promise<string>>}
 */
const projects = new Map()

/**
 * Writes a kit in a project with the app. Subjects with the same kit share the result.
 * @param {KitTask} request
 * @param {string} temp
 * @returns {Promise<string>} folder of the project
 */
function getKit (request, temp) {
  const key = `${temp} ${JSON.stringify(request)}`
  const made = projects.get(key) ?? makeKit(request, join(temp, `kit-${projects.size}`, NAME))
  projects.set(key, made)
  return made
}

/**
 * @param {KitTask} request
 * @param {string} project
 * @throws {TypeError} if there is no kit
 */
async function makeKit (request, project) {
  makeFolder(project)
  copyFileSync(appFile, join(project, APP))
  makeFolder(join(project, FOLDER))
  writeFileSync(join(project, FOLDER, 'index.html'), PAGE)
  const { result, error } = await callWorker('kit', request, {
    name: 'kit', dir: dirname(project), cwd: project, seconds: KIT_SECONDS
  })
  if (result === null) throw new TypeError(`there is no kit of ${request.spec}: ${error?.message}`)
  return project
}
