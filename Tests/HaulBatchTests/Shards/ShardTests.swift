import HaulBatch
import Testing

@Suite struct ShardTests {
    @Test(arguments: [("0/4", 0, 4), ("3/4", 3, 4), ("0/1", 0, 1)])
    func `I/N counts from 0`(text: String, index: Int, count: Int) throws {
        let shard = try Shard(parsing: text, environment: [:])
        #expect(shard == Shard(index, of: count))
    }

    @Test(arguments: ["4/4", "-1/4", "1", "a/b", "1/2/3", "", "0/0", "auto/x", "1/auto", "0/100001"])
    func `other texts are errors`(text: String) {
        #expect(throws: Shard.Fault.self) { try Shard(parsing: text, environment: ["PARALLEL_SEQ": "1"]) }
    }

    @Test(arguments: [
        (["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_COUNT": "4"], "auto", 2, 4),
        (
            [
                "SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "4",
                "SLURM_ARRAY_TASK_STEP": "4",
            ], "auto", 2, 4
        ),
        (["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "1"], "auto", 0, 1),
        (["JOB_COMPLETION_INDEX": "3", "JOB_COMPLETIONS": "8"], "auto", 3, 8),
        (["JOB_COMPLETION_INDEX": "3"], "auto/16", 3, 16),
        (["AWS_BATCH_JOB_ARRAY_INDEX": "1", "AWS_BATCH_JOB_ARRAY_SIZE": "2"], "auto", 1, 2),
        (["PARALLEL_SEQ": "1"], "auto/3", 0, 3),
        (["PARALLEL_SEQ": "3"], "auto/3", 2, 3),
    ])
    func `auto reads the variables of job systems`(
        environment: [String: String], text: String, index: Int, count: Int
    ) throws {
        #expect(try Shard(parsing: text, environment: environment) == Shard(index, of: count))
    }

    @Test(arguments: [
        [:], ["JOB_COMPLETION_INDEX": "3"], ["PARALLEL_SEQ": "2"], ["SLURM_ARRAY_TASK_ID": "x"],
        ["AWS_BATCH_JOB_ARRAY_INDEX": "2", "AWS_BATCH_JOB_ARRAY_SIZE": "2"],
        [
            "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "2",
            "SLURM_ARRAY_TASK_STEP": "2",
        ],
        ["SLURM_ARRAY_TASK_ID": "\(Int.max)", "SLURM_ARRAY_TASK_MIN": "-1", "SLURM_ARRAY_TASK_COUNT": "4"],
    ])
    func `auto fails if the variables do not name a shard`(environment: [String: String]) {
        #expect(throws: Shard.Fault.self) { try Shard(parsing: "auto", environment: environment) }
    }
}
