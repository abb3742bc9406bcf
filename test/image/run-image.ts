/**
 * `npm run test:image`: builds the Dockerfile and runs migrate, ingest, workers, mailer and api
 * from the image against real engines. It sends one event and one email, reads them back, and
 * drains every process. Exits with 1 if a step fails, and with 2 if there is no container tool.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { inheritedEnv } from '#platform/env.ts'
import { type ContainerTool, findContainerTool } from './container-tool.ts'
import { tryImage } from './try-image.ts'

interface Flags {
  readonly image?: string
  readonly base?: string
}

const imageTag = 'localhost/sluice-test'
const startedAtMs = systemClock.monotonicMs()

const say = (sentence: string): void => {
  const seconds = Math.round((systemClock.monotonicMs() - startedAtMs) / 1000)
  process.stdout.write(`${String(seconds).padStart(4)} s  ${sentence}\n`)
}

const command = new Command('test:image')
  .description('Builds the image of the Dockerfile and runs every process from it.')
  .option('--image <name>', 'run this image instead of building one')
  .option('--base <name>', 'base image, by default SLUICE_BASE_IMAGE or that of the Dockerfile')
  .action(async (flags: Flags) => {
    const tool = await findContainerTool()
    if (tool === undefined) {
      process.stderr.write(
        'Neither a Docker daemon nor buildah works here. Install one of them (on Debian: apt-get install buildah) to test the image.\n',
      )
      process.exitCode = 2
      return
    }
    try {
      const image = flags.image ?? (await build(tool, flags.base))
      await tryImage({ tool, image, say, run: randomBytes(4).toString('hex') })
      say('The image works.')
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    }
  })

async function build(tool: ContainerTool, base: string | undefined): Promise<string> {
  say(`Building the image with ${tool.name}.`)
  const folder = await mkdtemp(join(tmpdir(), 'sluice-image-'))
  try {
    const secrets = await npmSecrets(folder)
    const baseImage = base ?? (inheritedEnv()['SLUICE_BASE_IMAGE'] || undefined)
    await tool.build({ tag: imageTag, baseImage, secrets })
    return imageTag
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The npm settings of this user, and a certificate authority if one is configured, so that the
 * build can reach the package registry.
 */
async function npmSecrets(folder: string): Promise<Record<string, string>> {
  const env = inheritedEnv()
  const userConfig =
    env['NPM_CONFIG_USERCONFIG'] ?? env['npm_config_userconfig'] ?? join(homedir(), '.npmrc')
  const settings = existsSync(userConfig) ? await readFile(userConfig, 'utf8') : ''
  const ca = env['NODE_EXTRA_CA_CERTS']
  const lines = settings
    .split('\n')
    .filter((line) => !/^\s*(?:nodedir|prefix|cache|cafile)\s*=/.test(line))
  if (ca) lines.push('cafile=/run/secrets/ca.pem')
  const npmrc = join(folder, 'npmrc')
  await writeFile(npmrc, `${lines.join('\n')}\n`, { mode: 0o600 })
  return { npmrc, ...(ca ? { ca } : {}) }
}

await command.parseAsync()
