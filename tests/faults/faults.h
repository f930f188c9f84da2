#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

void faults_of_allocations(const char *program);
void faults_of_writes(const char *program);
void faults_of_the_world(const char *program);
void faults_by_kills(const char *program);

// The smallest commands of each kind. The first three train and write, and %/text.safetensors and
// its like are there for the others.
typedef struct Command {
    const char *sentence, *arguments;
    int status;
} Command;
extern const Command faults_commands[];
extern const int faults_commands_count;
int faults_stride(void);                   // FAULTS_EVERY: only each such fault, (1: all)
void faults_prepare(const char *program);  // what the commands read and find
void faults_before(const char *program, const Command *command);  // what is in %/out

#endif
