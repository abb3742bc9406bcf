/** The version of Node against `engines` in package.json. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isAtLeast } from '#platform/installation/server-version.ts'
import { projectRoot } from '#platform/project-root.ts'
import type { Check } from '../doctor-context.ts'
import { of } from '../finding.ts'

const node = of('node')
const Package = z.object({ engines: z.object({ node: z.string() }) })

export const nodeCheck: Check = {
  group: 'node',
  run: async ({ nodeVersion }) => {
    const text = await readFile(join(projectRoot, 'package.json'), 'utf8')
    const wanted = Package.parse(JSON.parse(text)).engines.node
    return [
      fits(nodeVersion, wanted)
        ? node.ok('version', `Node ${nodeVersion} is supported.`)
        : node.problem(
            'version',
            `Node ${nodeVersion} is not supported.`,
            `Install a version of Node that fits ${wanted}.`,
          ),
    ]
  },
}

/** `engines` uses only `^major.minor` and `||`. */
function fits(version: string, wanted: string): boolean {
  return wanted.split('||').some((range) => {
    const least = range.trim().replace('^', '')
    return version.split('.')[0] === least.split('.')[0] && isAtLeast(version, least)
  })
}
