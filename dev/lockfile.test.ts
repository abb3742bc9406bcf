import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'),
)

/** Follows Node's resolution: next to the owner, then in every folder above it. */
function isLocked(owner: string, name: string): boolean {
  const parts = owner === '' ? [] : owner.split('/node_modules/')
  const folders = parts.map((_, depth) => parts.slice(0, depth + 1).join('/node_modules/'))
  return ['', ...folders].some((folder) =>
    Object.hasOwn(lock.packages, `${folder === '' ? '' : `${folder}/`}node_modules/${name}`),
  )
}

test('the lockfile lists the binaries of every platform, so that `npm ci` works on all of them', () => {
  const missing = Object.entries(lock.packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(owner, name)),
  )
  expect(missing).toEqual([])
})

test('the lockfile contains no registry URL', () => {
  const resolved = Object.values(lock.packages).flatMap((locked) => locked.resolved ?? [])
  expect(resolved).toEqual([])
})
