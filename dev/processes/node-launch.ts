import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '#platform/project-root.ts'
import type { Launch } from './process-plan.ts'

/**
 * Runs a program of the build, given by its path below `dist/`, with exit-with-parent.ts preloaded.
 */
export function nodeLaunch(entry: string, args: readonly string[], env: NodeJS.ProcessEnv): Launch {
  const file = join(projectRoot, 'dist', entry)
  if (!existsSync(file)) throw new Error(`${file} does not exist. Run \`npm run build\` first`)
  const guard = join(projectRoot, 'dist/dev/processes/exit-with-parent.js')
  return {
    file: process.execPath,
    args: ['--enable-source-maps', '--import', pathToFileURL(guard).href, file, ...args],
    env,
    cwd: projectRoot,
    channel: true,
  }
}
