#!/usr/bin/env bash
# Makes a base image for `npm run test:image` on a machine that reaches no registry of images: Debian by mmdebstrap, Node by npm.
# As root, with buildah, mmdebstrap and npm:
#   test/image/make-base-image.sh
#   SLUICE_BASE_IMAGE=localhost/sluice-base npm run test:image
set -euo pipefail

name=${1:-localhost/sluice-base}
node_major=22
folder=$(mktemp -d)
container=
cleanup() {
  [ -z "$container" ] || buildah rm "$container" >/dev/null
  rm -rf "$folder"
}
trap cleanup EXIT

arch=$(dpkg --print-architecture)
case $arch in amd64) node_arch=x64 ;; *) node_arch=$arch ;; esac

echo 'Debian …'
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$folder/debian.tar"
echo 'Node …'
cd "$folder"
npm pack --silent "node-linux-$node_arch@$node_major" >/dev/null
npm pack --silent npm@11 >/dev/null
mkdir node npm
tar -xzf node-linux-*.tgz -C node --strip-components=1
tar -xzf npm-*.tgz -C npm --strip-components=1

echo 'Image …'
container=$(buildah from scratch)
buildah add -q "$container" "$folder/debian.tar" / >/dev/null
buildah copy -q "$container" "$folder/node/bin/node" /usr/local/bin/node >/dev/null
buildah copy -q "$container" "$folder/npm" /usr/local/lib/node_modules/npm >/dev/null
buildah run --isolation chroot "$container" -- sh -c '
  chmod 755 /usr/local/bin/node
  ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
  chmod 755 /usr/local/lib/node_modules/npm/bin/npm-cli.js
  groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
  node --version && npm --version'
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit -q "$container" "$name" >/dev/null
echo "$name"
