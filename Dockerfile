# The app in a container:
#     docker build -t mapdp-studio . && docker run --rm -p 127.0.0.1:8501:8501 mapdp-studio
# Then open http://localhost:8501. For others, a web server with log-in goes in front, and
# the name it is known by is added: docker run ... mapdp-studio --server.allowedHosts <name>
# (.docs/pages/hosting.md)
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
RUN useradd --create-home studio
COPY --from=build /wheels /source/constraints.txt /wheels/
RUN pip install --no-cache-dir -c /wheels/constraints.txt "$(ls /wheels/*.whl)[app]" && rm /wheels/*

USER studio
WORKDIR /home/studio
# Else the C library keeps a store of free memory for each of many threads.
ENV MALLOC_ARENA_MAX=2
# The engine is compiled now, under the name that the server calls it by: no visitor waits for it.
RUN python -m mapdp_studio.core.methods.warmup

EXPOSE 8501
HEALTHCHECK --start-period=60s CMD \
    python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health')"
# Inside a container 127.0.0.1 reaches nobody; what is published to the outside is docker's -p. Told
# its address, Streamlit asks nobody for it.
ENTRYPOINT ["mapdp-studio", "--server.address", "0.0.0.0", "--server.headless", "true", \
    "--browser.serverAddress", "localhost"]
