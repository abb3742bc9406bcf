/** Where backups lie: a folder, or a prefix in a bucket. */
import type { ObjectStore } from '#platform/objects/object-store.ts'

export type Place = ObjectStore

export const objectsPrefix = 'objects/'
export const manifestsPrefix = 'manifests/'
export const locksPrefix = 'locks/'

export function objectKey(sha256: string): string {
  return `${objectsPrefix}${sha256.slice(0, 2)}/${sha256}`
}

export function manifestKey(id: string): string {
  return `${manifestsPrefix}${id}.json`
}
