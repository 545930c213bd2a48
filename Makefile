# `make` lists all targets.
PREFIX ?= /usr/local
HAUL ?= .build/release/haul
# The configuration file of whoever runs this changes no result.
export HAUL_CONFIG =
# The frontend's option: types are made by calls that the compiler writes, not from their written names. To find a type by its name takes
# searches through all conformances of the program: a quarter of what the command takes to start. See docs/decisions/0017.
# No library is loaded from beside the program (no RUNPATH).
# The system's libraries other than the C library are linked in where their archives are installed.
# Two builds give the same program: without the hashes that the compiler adds for incremental builds, and the linker's hash of everything, which
# differ each time, and without the paths of the sources.
RELEASE = HAUL_BUILD="$$(Scripts/lib/packages/build-facts)" swift build -c release --static-swift-stdlib --disable-local-rpath \
	$$(Scripts/lib/packages/static-libraries .build/static-libraries) \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen -Xlinker --build-id=none \
	-Xcc -ffile-prefix-map=$(CURDIR)=haul -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=haul
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: help build release test check api demo bench interop page load kill9 batchkill fleet python soak tsan fuzz install deb tarball wheel clean site docs commands record
.DEFAULT_GOAL := help

# Targets below a line that begins with ##@ belong to that group.
help: ## List the targets
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ For users

demo: ## Show a download that is killed halfway, resumed and verified
	@Scripts/demo

release: ## Build the command, with Swift linked in: .build/release/haul
	$(RELEASE) --product haul

install: ## Install the command, its manual page and completions under PREFIX (/usr/local)
	@test -x $(HAUL) || { echo "$(HAUL) is missing; run: make release" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(HAUL) $(DESTDIR)$(PREFIX)/bin/haul
	install -d $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(HAUL) manual > $(SHARE)/man/man1/haul.1
	$(HAUL) completions bash > $(SHARE)/bash-completion/completions/haul
	$(HAUL) completions zsh > $(SHARE)/zsh/site-functions/_haul
	$(HAUL) completions fish > $(SHARE)/fish/vendor_completions.d/haul.fish

##@ Packages

deb: ## Make the Debian package from the release build (HAUL=PATH for another one), in .build/packages
	HAUL=$(HAUL) Scripts/package-deb

tarball: ## Make the archive for any Linux from the release build (HAUL=PATH for another one), in .build/packages
	HAUL=$(HAUL) Scripts/package-tarball

wheel: ## Make the wheel for Python from the release build (HAUL=PATH for another one), in .build/packages
	HAUL=$(HAUL) Scripts/package-wheel

##@ For development

build: ## Build for debugging
	swift build

test: ## Run the tests: those of the decisions first, which are built sooner
	Scripts/test

site: ## Build the site from docs/: .build/site (ARGUMENTS=--serve shows it in a browser)
	Scripts/site $(ARGUMENTS)

docs: ## Build the documentation of the products with DocC, without warnings: .build/docs (ARGUMENTS=--no-build)
	Scripts/docs $(ARGUMENTS)

record: ## Record the terminal pictures of README.md from the release build
	Scripts/record

clean: ## Remove what was built
	swift package clean

##@ Checks

check: ## Check format, purity, documentation, dependencies, platforms, language, links and plots
	swift format lint --strict --recursive Package.swift Sources Tests Examples
	Scripts/check-purity
	Scripts/check-docs
	Scripts/check-dependencies
	Scripts/check-platforms
	Scripts/check-packages
	Scripts/check-language --self-test
	Scripts/check-language
	Scripts/check-links
	Scripts/plots --check

api: ## Compare the public symbols with those of the last release (ARGUMENTS=TAG); builds both
	Scripts/api $(ARGUMENTS)

commands: ## Run the commands that the documentation shows (ARGUMENTS="docs/tasks/resume.md")
	Scripts/check-commands $(ARGUMENTS)

interop: ## Use real servers, aria2's clients and systemd (ARGUMENTS=--short for less)
	Scripts/interop $(ARGUMENTS)
	$(if $(ARGUMENTS),,Scripts/interop-everyday)
	$(if $(ARGUMENTS),,Scripts/interop-partials .build/release/haul)
	$(if $(ARGUMENTS),,Scripts/interop-aria2)
	$(if $(ARGUMENTS),,Scripts/interop-daemon)
	$(if $(ARGUMENTS),,Scripts/check-commands)

page: ## Drive the daemon's web page with a browser (ARGUMENTS="--only moves")
	Scripts/interop-page $(ARGUMENTS)

kill9: ## Kill downloads at random times, damage partial files, run two at once
	Scripts/kill9 $(ARGUMENTS)
	Scripts/kill9 --damage $(ARGUMENTS)
	Scripts/kill9 --two $(ARGUMENTS)
	$(RELEASE) --product Queue
	Scripts/kill9 --queue $(ARGUMENTS)
	$(RELEASE) --product Background
	Scripts/kill9 --background $(ARGUMENTS)

batchkill: ## Kill batches at random times and check every tar (ARGUMENTS="--kills 200")
	Scripts/batch-kill $(ARGUMENTS)

python: ## Check the package for Python with its wheel: Ruff, mypy, pytest (ARGUMENTS=--clusters)
	Scripts/check-wheel $(ARGUMENTS)

fleet: ## Run haul batch on Spark, Ray and Slurm, started here (ARGUMENTS="--rows 20000 --only slurm")
	Scripts/fleet $(ARGUMENTS)

soak: ## Download from faulty servers, compared with a model (ARGUMENTS="--service --minutes 120")
	Scripts/soak $(ARGUMENTS)

load: ## Test the daemon busy, with 100,000 downloads, and idle (ARGUMENTS="--only busy")
	Scripts/load $(ARGUMENTS)

tsan: ## Run the tests under ThreadSanitizer (JOBS, MINUTES; ARGUMENTS="--filter NAME")
	Scripts/tsan $(ARGUMENTS)

fuzz: ## Look for inputs that break a parser, each for 60 s (ARGUMENTS="url 600")
	Scripts/fuzz $(ARGUMENTS)

##@ Measurements

bench: ## Compare with aria2c, curl, wget2 and axel (ARGUMENTS="--only B1,B2")
	$(RELEASE) --product HaulBench
	Scripts/bench $(ARGUMENTS)
